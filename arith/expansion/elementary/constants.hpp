#pragma once

#include <residua/arith/expansion/type.hpp>

/// The constants of the elementary functions, each as the sum of doubles that split_nearest makes
/// of it: the first is nearest to the number, the next one to what is missing, and so on. The first
/// M of them are the M-term number nearest to the constant. The test
/// arith/expansion/elementary_constants makes them again with MPFR and compares.
namespace residua::detail {

/// 1 / ln 2 and, in two terms, 2 / pi, for the choice of a multiple.
inline constexpr double log2_of_e = 0x1.71547652b82fep+0;
inline constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
inline constexpr double two_over_pi_low = -0x1.6b01ec5417056p-55;

inline constexpr int constant_terms = 5;
inline constexpr int half_pi_terms = 10;
inline constexpr int factorials = 50;

/// Term i of ln 2, i < constant_terms.
RESIDUA_HD double ln2_term(int i)
{
    static constexpr double terms[constant_terms] = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56,
                                                     0x1.7b57a079a1934p-111, -0x1.ace93a4ebe5d1p-165,
                                                     -0x1.23a2a82ea0c24p-219};
    return terms[i];
}

/// Term i of pi / 2, i < half_pi_terms.
RESIDUA_HD double half_pi_term(int i)
{
    static constexpr double terms[half_pi_terms] = {
        0x1.921fb54442d18p+0,   0x1.1a62633145c07p-54,  -0x1.f1976b7ed8fbcp-110, 0x1.4cf98e804177dp-164,
        0x1.31d89cd9128a5p-218, 0x1.0f31c6809bbdfp-276, 0x1.519b3cd3a431bp-331,  0x1.8158536f92f8ap-386,
        0x1.ba7f09ab6b6a9p-442, -0x1.edd0dbd2544cfp-498};
    return terms[i];
}

/// Term i of 1 / k!, k < factorials, i < constant_terms.
RESIDUA_HD double inverse_factorial_term(int k, int i)
{
    static constexpr double terms[factorials][constant_terms] = {
        {0x1p+0, 0, 0, 0, 0},
        {0x1p+0, 0, 0, 0, 0},
        {0x1p-1, 0, 0, 0, 0},
        {0x1.5555555555555p-3, 0x1.5555555555555p-57, 0x1.5555555555555p-111, 0x1.5555555555555p-165,
         0x1.5555555555555p-219},
        {0x1.5555555555555p-5, 0x1.5555555555555p-59, 0x1.5555555555555p-113, 0x1.5555555555555p-167,
         0x1.5555555555555p-221},
        {0x1.1111111111111p-7, 0x1.1111111111111p-63, 0x1.1111111111111p-119, 0x1.1111111111111p-175,
         0x1.1111111111111p-231},
        {0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65, -0x1.27d27d27d27d2p-119, -0x1.f49f49f49f49fp-173,
         -0x1.27d27d27d27d2p-227},
        {0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73, 0x1.a01a01a01a01ap-133, 0x1.a01a01a01a01ap-193,
         0x1.a01a01a01a01ap-253},
        {0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76, 0x1.a01a01a01a01ap-136, 0x1.a01a01a01a01ap-196,
         0x1.a01a01a01a01ap-256},
        {0x1.71de3a556c734p-19, -0x1.c154f8ddc6cp-73, 0x1.71de3a556c734p-127, -0x1.c154f8ddc6cp-181,
         0x1.71de3a556c734p-235},
        {0x1.27e4fb7789f5cp-22, 0x1.cbbc05b4fa99ap-76, -0x1.c6d278883e8f5p-132, 0x1.95567d3a50ccep-186,
         -0x1.69c6f77527ad8p-243},
        {0x1.ae64567f544e4p-26, -0x1.c062e06d1f209p-80, 0x1.c7880adcbc46ep-136, -0x1.5553a6f0fed6p-190,
         -0x1.071c56e0d709dp-246},
        {0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83, 0x1.2fb0073dd2d9ep-139, 0x1.c71d90b4ab715p-193,
         0x1.297b46da86d3bp-247},
        {0x1.6124613a86d09p-33, 0x1.f28e0cc748ebep-87, -0x1.7b2c4c8a840bcp-141, 0x1.c71cca1034c07p-195,
         -0x1.cbda1195605c6p-249},
        {0x1.93974a8c07c9dp-37, 0x1.05d6f8a2efd1fp-92, 0x1.3aa3346236a5dp-147, 0x1.d75f096ea801ep-201,
         -0x1.b17039e931c58p-258},
        {0x1.ae7f3e733b81fp-41, 0x1.1d8656b0ee8cbp-97, -0x1.6e142a138f825p-157, 0x1.43c0c38ccdcc6p-212,
         -0x1.b225fe7ac8e6dp-266},
        {0x1.ae7f3e733b81fp-45, 0x1.1d8656b0ee8cbp-101, -0x1.6e142a138f825p-161, 0x1.43c0c38ccdcc6p-216,
         -0x1.b225fe7ac8e6dp-270},
        {0x1.952c77030ad4ap-49, 0x1.ac981465ddc6cp-103, -0x1.588b72e53bc5fp-165, 0x1.7079e8909271ap-221,
         -0x1.c7cf0c326b1bdp-275},
        {0x1.6827863b97d97p-53, 0x1.eec01221a8b0bp-107, -0x1.568798662118bp-161, 0x1.f00d8b9e49291p-222,
         0x1.f90f119a4b758p-279},
        {0x1.2f49b46814157p-57, 0x1.2650f61dbdcb4p-112, -0x1.69502917cbf3bp-166, 0x1.e35fbddac4553p-223,
         -0x1.729e1e158c7b1p-277},
        {0x1.e542ba4020225p-62, 0x1.ea72b4afe3c2fp-120, -0x1.44020dfd65c8cp-174, -0x1.6e69b50fc88abp-231,
         -0x1.0c0c089e97a26p-288},
        {0x1.71b8ef6dcf572p-66, -0x1.d043ae40c4647p-120, 0x1.486121e81d5fep-176, -0x1.2d4ba8e1e64c7p-230,
         -0x1.eacf61a05d3bdp-286},
        {0x1.0ce396db7f853p-70, -0x1.aebcdbd20331cp-124, -0x1.38a88578b4d75p-178, 0x1.c0fbc29694fb8p-233,
         -0x1.a0fb9482f134p-287},
        {0x1.761b41316381ap-75, -0x1.3423c7d91404fp-130, 0x1.e6135bfc1194ap-185, -0x1.ba7b1a3077b39p-239,
         0x1.b7bf8dd95d7a8p-294},
        {0x1.f2cf01972f578p-80, -0x1.9ada5fcc1ab14p-135, 0x1.440ce7fd610dcp-189, -0x1.26fcbc204fcd1p-243,
         0x1.e7ea849dc9d38p-297},
        {0x1.3f3ccdd165fa9p-84, -0x1.58ddadf344487p-139, -0x1.e8ed8001ad67ep-193, 0x1.80a5edffcced7p-247,
         -0x1.2e223a7c4ba1ap-301},
        {0x1.88e85fc6a4e5ap-89, -0x1.71c37ebd1654p-143, 0x1.494676265a364p-197, -0x1.397b40007db79p-253,
         -0x1.5dde19cf7f17ap-307},
        {0x1.d1ab1c2dccea3p-94, 0x1.054d0c78aea14p-149, -0x1.196bf16c33a56p-203, 0x1.f0e65ed04d346p-257,
         0x1.43a24f850a04fp-311},
        {0x1.0a18a2635085dp-98, 0x1.b9e2e28e1aa54p-153, 0x1.a8549a9d99586p-207, -0x1.141dcc8cc5668p-266,
         0x1.09cd93b9b8469p-322},
        {0x1.259f98b4358adp-103, 0x1.eaf8c39dd9bc5p-157, -0x1.6e29990a26fb6p-211, -0x1.2d867809b5568p-267,
         -0x1.15e662f862571p-321},
        {0x1.3932c5047d60ep-108, 0x1.832b7b530a627p-162, 0x1.5d2c61f6d124cp-218, 0x1.f192b328d82c4p-272,
         -0x1.75c254d35b232p-330},
        {0x1.434d2e783f5bcp-113, 0x1.0b87b91be9affp-167, 0x1.c89db1796db75p-224, -0x1.8923b7699c8bep-278,
         0x1.1d668aaebfb77p-336},
        {0x1.434d2e783f5bcp-118, 0x1.0b87b91be9affp-172, 0x1.c89db1796db75p-229, -0x1.8923b7699c8bep-283,
         0x1.1d668aaebfb77p-341},
        {0x1.3981254dd0d52p-123, -0x1.2b1f4c8015a2fp-177, -0x1.d82af23edb6dbp-231, 0x1.a1cd20123a99bp-285,
         0x1.958e5a4343645p-339},
        {0x1.2710231c0fd7ap-128, 0x1.3f8a2b4af9d6bp-184, 0x1.c32215a9f317ep-238, -0x1.d451e158a1205p-293,
         0x1.cf7b201892024p-347},
        {0x1.0dc59c716d91fp-133, 0x1.419e3fad3f031p-188, 0x1.d9d7ed1981ffcp-244, -0x1.345ea5d66a84bp-300,
         -0x1.285e2b2f074p-355},
        {0x1.df983290c2ca9p-139, 0x1.5835c6895393bp-194, -0x1.0578f45b1aaaep-249, -0x1.281508688972dp-303,
         -0x1.256a427c3a8p-358},
        {0x1.9ec8d1c94e85bp-144, -0x1.670e9d4784ec6p-201, 0x1.79fe5954939a2p-255, 0x1.82e418d9b0c9ep-311,
         0x1.26a441d4e7c8ap-366},
        {0x1.5d4acb9c0c3abp-149, -0x1.6ec2c8f5b13b2p-205, 0x1.e2860aaa59188p-259, -0x1.866eba0408569p-313,
         0x1.88c546d54f915p-367},
        {0x1.1e99449a4bacep-154, -0x1.fefbb89514b3cp-210, -0x1.53433f743a2d9p-264, 0x1.25f70d1395dd7p-320,
         -0x1.a192c8c09ef53p-374},
        {0x1.ca8ed42a12ae3p-160, 0x1.a07244abad2abp-224, 0x1.facdac6fb71b7p-278, -0x1.ca2f486d514e1p-339,
         0x1.f1ff01aaea3dcp-396},
        {0x1.65e61c39d0241p-165, -0x1.c0ed181727269p-220, -0x1.abbd2f56bbc2fp-276, -0x1.18ff57fdc2e4ep-330,
         -0x1.36ae11f3e65fap-384},
        {0x1.10af527530de8p-170, 0x1.b626c912ee5c8p-225, 0x1.349f032c6e859p-279, -0x1.ec616617f45c6p-333,
         0x1.d2c9e0c7a83d1p-388},
        {0x1.95db45257e512p-176, 0x1.6e5d72b6f79b9p-231, 0x1.b830cf0b5b5c6p-291, 0x1.29276833f5728p-345,
         -0x1.b6b869bcfa969p-399},
        {0x1.272b1b03fec6ap-181, 0x1.3f67cc9f9fdb8p-235, -0x1.71dcd047354c9p-289, -0x1.c3f29289464c4p-346,
         -0x1.3f11c1439ef92p-404},
        {0x1.a3cb872220648p-187, -0x1.c7f4e85b8e6cdp-241, -0x1.413a0bc5fc28ap-295, -0x1.16ae534063fabp-352,
         0x1.38f8bb9ef78edp-406},
        {0x1.240804f65951p-192, 0x1.8b291b93c9718p-246, 0x1.096c752f5341fp-301, -0x1.c12972a70641ep-355,
         0x1.418f6e8af366cp-409},
        {0x1.8da8e0a127ebap-198, -0x1.21d2eac9d275cp-252, -0x1.ad541d26964afp-306, -0x1.1c066ebdf95dep-360,
         0x1.0682562822ff2p-414},
        {0x1.091b406b6ff26p-203, 0x1.e973637973b18p-257, -0x1.1e38136f0edcap-311, -0x1.7ab33e52a1d28p-366,
         0x1.5e031d8ad9543p-420},
        {0x1.5a42f0dfeb086p-209, -0x1.35ae015f78f6ep-264, -0x1.c71a521ce2e79p-318, 0x1.6a300230ce998p-372,
         -0x1.63235d9916af8p-429},
    };
    return terms[k][i];
}

template <int M>
RESIDUA_HD expansion<double, M> ln2()
{
    static_assert(M <= constant_terms);
    expansion<double, M> r;
    for (int i = 0; i < M; ++i) {
        r.t[i] = ln2_term(i);
    }
    return r;
}

template <int M>
RESIDUA_HD expansion<double, M> half_pi()
{
    static_assert(M <= half_pi_terms);
    expansion<double, M> r;
    for (int i = 0; i < M; ++i) {
        r.t[i] = half_pi_term(i);
    }
    return r;
}

template <int M>
RESIDUA_HD expansion<double, M> inverse_factorial(int k)
{
    static_assert(M <= constant_terms);
    expansion<double, M> r;
    for (int i = 0; i < M; ++i) {
        r.t[i] = inverse_factorial_term(k, i);
    }
    return r;
}

}  // namespace residua::detail
