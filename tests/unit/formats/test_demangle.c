/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "demangle.h"
#include "demangled.h"
#include "tap.h"

/* The text is that of binutils, if it supports the name; brief NULL is the same as full. */
static const struct {
        const char *mangled, *full, *brief;
} names[] = {
        {"_Z1fSt6vectorIS_IiEE", "f(std::vector<std::vector<int> >)", "f"},
        {"_Z1fIXadL_ZN1A3fooEiEEEvv", "void f<&A::foo>()", "f<&A::foo>"},
        {"_Z1fIXadL_Z3fooiEEEvv", "void f<&(foo(int))>()", "f<&(foo(int))>"},
        {"_Z1fIL_Z3fooiEEvv", "void f<foo(int)>()", "f<foo(int)>"},
        {"_Z1fIXadL_ZN1AIiE3fooEvEEEvv", "void f<&A<int>::foo>()", "f<&A<int>::foo>"},
        {"_Z1fILin5ELj5ELl5ELm5ELx5ELy5ELb1ELb0ELb2ELc65ELs5ELDn0EEvv",
         "void f<-5, 5u, 5l, 5ul, 5ll, 5ull, true, false, (bool)2, (char)65, (short)5, (decltype(nullptr))0>()",
         "f<-5, 5u, 5l, 5ul, 5ll, 5ull, true, false, (bool)2, (char)65, (short)5, (decltype(nullptr))0>"},
        {"_Z1fILDnEEvv", "void f<decltype(nullptr)>()", "f<decltype(nullptr)>"},
        {"_Z1fILf3f800000EEvv", "void f<(float)[3f800000]>()", "f<(float)[3f800000]>"},
        {"_Z1fILN1A1BE3EEvv", "void f<(A::B)3>()", "f<(A::B)3>"},
        {"_Z1fIiEDTcl1gfp_EET_", "decltype (g({parm#1})) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTplfp_Li1EET_", "decltype ({parm#1}+(1)) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTgtfp_Li1EET_", "decltype (({parm#1}>(1))) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTpp_fp_ET_", "decltype (++{parm#1}) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTstT_ES0_", "decltype (sizeof (int)) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTszfp_ET_", "decltype (sizeof {parm#1}) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTixfp_Li1EET_", "decltype ({parm#1}[1]) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTqufp_Li1ELi2EET_", "decltype ({parm#1}?(1) : (2)) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTdtfp_3fooET_", "decltype ({parm#1}.foo) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTptfp_3fooET_", "decltype ({parm#1}->foo) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTcldtfp_3fooLi1EEET_", "decltype (({parm#1}.foo)(1)) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTclptfp_3fooIiELi1EEET_", "decltype (({parm#1}->(foo<int>))(1)) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTcvT_Li1EES0_", "decltype ((int)(1)) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTcvT__Li1ELi2EEES0_", "decltype ((int)(1, 2)) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTscT_Li1EES0_", "decltype (static_cast<int>(1)) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTtiT_ES0_", "decltype (typeid (int)) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTtefp_ES0_", "decltype (typeid ({parm#1})) f<int>(decltype (typeid ({parm#1})))", "f<int>"},
        {"_Z1fIiEDTnw_T_piLi1EEES0_", "decltype (new int(1)) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTnwLi1E_T_piLi1EEES0_", "decltype (new (1) int(1)) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTna_T_EES0_", "decltype (new int) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTgsnw_T_EES0_", "decltype (::new int) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTdlfp_ET_", "decltype (delete {parm#1}) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTtrET_", "decltype (throw) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTtwfp_ET_", "decltype (throw {parm#1}) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTnxfp_ET_", "decltype (noexcept ({parm#1})) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTil1aEET_", "decltype ({a}) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTtlT_Li1ELi2EEES0_", "decltype (int{1, 2}) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTpmfp_Li1EET_", "decltype ({parm#1}->*(1)) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTssfp_Li1EET_", "decltype ({parm#1}<=>(1)) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTawfp_ET_", "decltype (co_await {parm#1}) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTsr1A3fooET_", "decltype (A::foo) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTsrT_3fooES0_", "decltype (int::foo) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTsrT_3fooIiEES0_", "decltype (int::foo<int>) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTsrSt6vectorIiE3fooET_", "decltype (std::vector<int>::foo) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTgs3fooET_", "decltype (::foo) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTgssr1A3fooET_", "decltype (::A::foo) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTclonplfp_Li1EEET_", "decltype ((operator+)({parm#1}, 1)) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTonplIiEET_", "decltype (operator+<int>) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTdnT_ES0_", "decltype (~int) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTdtfp_dnT_ES0_", "decltype ({parm#1}.(~int)) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTdtfp_onplET_", "decltype ({parm#1}.(operator+)) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTdtfp_sr1A1BET_", "decltype ({parm#1}.A::B) f<int>(int)", "f<int>"},
        {"_Z1fIJilEEDTcl1gspfp_EEDpT_", "decltype (g({parm#1}...)) f<int, long>(int, long)", "f<int, long>"},
        {"_Z1fIJilEEvDpT_", "void f<int, long>(int, long)", "f<int, long>"},
        {"_Z1fIJilEEvDpRKT_", "void f<int, long>(int const&, long const&)", "f<int, long>"},
        {"_Z1fIJEEvDpT_", "void f<>()", "f<>"},
        {"_Z1fIiJEEvT_DpT0_", "void f<int>(int)", "f<int>"},
        {"_Z1fIJilEEDTsZT_EDpT_", "decltype (2) f<int, long>(int, long)", "f<int, long>"},
        {"_Z1fIJilEEDTsZfp_EDpT_", "decltype (sizeof...({parm#1})) f<int, long>(int, long)", "f<int, long>"},
        {"_Z1fIJilEEDTflplfp_EDpT_", "decltype ((...+{parm#1})) f<int, long>(int, long)", "f<int, long>"},
        {"_Z1fIJilEEDTfrplfp_EDpT_", "decltype (({parm#1}+...)) f<int, long>(int, long)", "f<int, long>"},
        {"_Z1fIJilEEDTfLplLi1Efp_EDpT_", "decltype (((1)+...+{parm#1})) f<int, long>(int, long)",
         "f<int, long>"},
        {"_Z1fIJilEEDTfRplfp_Li1EEDpT_", "decltype (({parm#1}+...+(1))) f<int, long>(int, long)",
         "f<int, long>"},
        {"_Z1fIiEDtfp_ET_", "decltype ({parm#1}) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTfpTET_", "decltype (this) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTfL0p_ET_", "decltype ({parm#1}) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTfp0_ET_", "decltype ({parm#2}) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTu3fooT_EES0_", "decltype (foo(int)) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTdi1aLi1EET_", "decltype (.a=(1)) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTtlT_di1aLi1EEES0_", "decltype (int{.a=(1)}) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTtlT_dxLi0ELi1EEES0_", "decltype (int{[0]=(1)}) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTtlT_dXLi0ELi1ELi3EEES0_", "decltype (int{[0 ... 1]=(3)}) f<int>(int)", "f<int>"},
        {"_ZZ3fooiE3bar__10_", "foo(int)::bar", NULL},
        {"_ZZ3fooIiEvT_E3bar", "foo<int>(int)::bar", NULL},
        {"_ZZN1A3fooEvENKUlvE_clEv", "A::foo()::{lambda()#1}::operator()() const",
         "A::foo()::{lambda()#1}::operator()"},
        {"_ZZN1A3fooEvENKUliE0_clEi", "A::foo()::{lambda(int)#2}::operator()(int) const",
         "A::foo()::{lambda(int)#2}::operator()"},
        {"_ZZN1A3fooEvENKUlT_E_clIiEEDaS0_", "auto A::foo()::{lambda(auto:1)#1}::operator()<int>(int) const",
         "A::foo()::{lambda(auto:1)#1}::operator()<int>"},
        {"_ZZN1A3fooEvENKUlRKT_OT0_E_clIiiEEDaS0_S3_",
         "auto A::foo()::{lambda(auto:1 const&, auto:2&&)#1}::operator()<int, int>(int, int) const",
         "A::foo()::{lambda(auto:1 const&, auto:2&&)#1}::operator()<int, int>"},
        {"_ZZN1A3fooEvENKUlDpT_E_clIJiiEEEDaS1_",
         "auto A::foo()::{lambda((auto:1)...)#1}::operator()<int, int>(int, int) const",
         "A::foo()::{lambda((auto:1)...)#1}::operator()<int, int>"},
        {"_ZN1AUt_C1Ev", "A::{unnamed type#1}::A()", "A::{unnamed type#1}::A"},
        {"_ZN1AUt0_C1Ev", "A::{unnamed type#2}::A()", "A::{unnamed type#2}::A"},
        {"_ZZ3fooiEs", "foo(int)::string literal", NULL},
        {"_ZZ3fooiEs_0", "foo(int)::string literal", NULL},
        {"_ZZ3fooiEd_3bar", "foo(int)::{default arg#1}::bar", NULL},
        {"_ZZ3fooiEd0_NKUlvE_clEv", "foo(int)::{default arg#2}::{lambda()#1}::operator()() const",
         "foo(int)::{default arg#2}::{lambda()#1}::operator()"},
        {"_ZN1AB3tag3fooEv", "A[abi:tag]::foo()", "A[abi:tag]::foo"},
        {"_ZN1AC1B5cxx11Ev", "A::A[abi:cxx11]()", "A::A[abi:cxx11]"},
        {"_ZTV1A", "vtable for A", NULL},
        {"_ZTC1A0_1B", "construction vtable for B-in-A", NULL},
        {"_ZThn8_N1A3fooEv", "non-virtual thunk to A::foo()", "non-virtual thunk to A::foo"},
        {"_ZTv0_n24_N1A3fooEv", "virtual thunk to A::foo()", "virtual thunk to A::foo"},
        {"_ZTch0_h16_N1A3fooEv", "covariant return thunk to A::foo()", "covariant return thunk to A::foo"},
        {"_ZGV3foo", "guard variable for foo", NULL},
        {"_ZGVZ3foovE3bar", "guard variable for foo()::bar", NULL},
        {"_ZGR3foo_", "reference temporary for foo", NULL},
        {"_ZTH3foo", "TLS init function for foo", NULL},
        {"_ZTW3foo", "TLS wrapper function for foo", NULL},
        {"_ZTAXtl1ALi1EEE", "template parameter object for A{1}", NULL},
        {"_ZGA3foo", "hidden alias for foo", NULL},
        {"_ZGTt3foov", "transaction clone for foo()", "transaction clone for foo"},
        {"_ZGTn3foov", "non-transaction clone for foo()", "non-transaction clone for foo"},
        {"_ZTF1A", "typeinfo fn for A", NULL},
        {"_ZTJ1A", "java Class for A", NULL},
        {"_ZN1AcviEv", "A::operator int()", "A::operator int"},
        {"_ZN1AcvT_IiEEv", "A::operator int<int>()", "A::operator int<int>"},
        {"_ZNK1AcvPT_IiEEv", "A::operator int*<int>() const", "A::operator int*<int>"},
        {"_ZN1AcvSt6vectorIT_EIiEEv", "A::operator std::vector<int><int>()",
         "A::operator std::vector<int><int>"},
        {"_ZN1AIcEcvT_IiEEv", "A<char>::operator int<int>()", "A<char>::operator int<int>"},
        {"_Zli2_xe", "operator\"\" _x(long double)", "operator\"\" _x"},
        {"_ZN1AplERKS_", "A::operator+(A const&)", "A::operator+"},
        {"_ZN1AltIiEEvT_", "void A::operator< <int>(int)", "A::operator< <int>"},
        {"_ZN1AnwEm", "A::operator new(unsigned long)", "A::operator new"},
        {"_ZN1AdaEPv", "A::operator delete[](void*)", "A::operator delete[]"},
        {"_ZN1AclEv", "A::operator()()", "A::operator()"},
        {"_ZN1AawEv", "A::operator co_await()", "A::operator co_await"},
        {"_ZN1AssERKS_", "A::operator<=>(A const&)", "A::operator<=>"},
        {"_Zv23fooi", "operator foo(int)", "operator foo"},
        {"_ZDC1a1bE", "[a, b]", NULL},
        {"_ZN3fooDC1a1bEE", "foo::[a, b]", NULL},
        {"_ZNSsC1Ev",
         "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string()",
         "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string"},
        {"_ZNSs6appendEv", "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::append()",
         "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::append"},
        {"_ZNSiC1Ev", "std::basic_istream<char, std::char_traits<char> >::basic_istream()",
         "std::basic_istream<char, std::char_traits<char> >::basic_istream"},
        {"_ZNSt6vectorIiSaIiEEC1Ev", "std::vector<int, std::allocator<int> >::vector()",
         "std::vector<int, std::allocator<int> >::vector"},
        {"_ZNSbIwED1Ev", "std::basic_string<wchar_t>::~basic_string()",
         "std::basic_string<wchar_t>::~basic_string"},
        {"_ZNSdD0Ev", "std::basic_iostream<char, std::char_traits<char> >::~basic_iostream()",
         "std::basic_iostream<char, std::char_traits<char> >::~basic_iostream"},
        {"_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo()", "(anonymous namespace)::foo"},
        {"_ZN1ACI21BEi", "A::A(int)", "A::A"},
        {"_ZN1ACI2N1B1CEEi", "A::A(int)", "A::A"},
        {"_Z1fM1AFvvE", "f(void (A::*)())", "f"},
        {"_Z1fM1AKFvvE", "f(void (A::*)() const)", "f"},
        {"_Z1fM1AVKFvvRE", "f(void (A::*)() const volatile &)", "f"},
        {"_Z1fM1AKFvvOE", "f(void (A::*)() const &&)", "f"},
        {"_Z1fM1Ai", "f(int A::*)", "f"},
        {"_Z1fM1AA5_i", "f(int (A::*) [5])", "f"},
        {"_Z1fPA5_i", "f(int (*) [5])", "f"},
        {"_Z1fRA5_A6_Ki", "f(int const (&) [5][6])", "f"},
        {"_Z1fRKA5_i", "f(int const (&) [5])", "f"},
        {"_Z1fPFPFvvEiE", "f(void (*(*)(int))())", "f"},
        {"_Z1fPKFvvE", "f(void (*)() const)", "f"},
        {"_Z1fKPFvvE", "f(void (* const)())", "f"},
        {"_Z1fPPFvvE", "f(void (**)())", "f"},
        {"_Z1fPDoFvvE", "f(void (*)() noexcept)", "f"},
        {"_Z1fPDOLb1EEFvvE", "f(void (*)() noexcept(true))", "f"},
        {"_Z1fPDwiEFvvE", "f(void (*)() throw(int))", "f"},
        {"_Z1fPFYvvE", "f(void (*)())", "f"},
        {"_Z1fIiEPFvvET_", "void (*f<int>(int))()", "f<int>"},
        {"_Z1fIRiEvOT_", "void f<int&>(int&)", "f<int&>"},
        {"_Z1fIOiEvRT_", "void f<int&&>(int&)", "f<int&&>"},
        {"_Z1fIOiEvOT_", "void f<int&&>(int&&)", "f<int&&>"},
        {"_Z1fIKiEvRKT_", "void f<int const>(int const&)", "f<int const>"},
        {"_Z1fIFvvEEvPT_", "void f<void ()>(void (*)())", "f<void ()>"},
        {"_Z1fIA5_iEvRKT_", "void f<int [5]>(int const (&) [5])", "f<int [5]>"},
        {"_Z1fDv4_f", "f(float __vector(4))", "f"},
        {"_Z1fDv_Li4E_f", "f(float __vector(4))", "f"},
        {"_Z1fCd", "f(double _Complex)", "f"},
        {"_Z1fU6__attrIiEPv", "f(void* __attr<int>)", "f"},
        {"_Z1fDF16_", "f(_Float16)", "f"},
        {"_Z1fDF16b", "f(std::bfloat16_t)", "f"},
        {"_Z1fDB8_", "f(signed _BitInt(8))", "f"},
        {"_Z1fDU8_", "f(unsigned _BitInt(8))", "f"},
        {"_Z1fDh", "f(half)", "f"},
        {"_Z1fDdDeDfDiDsDuDaDcDn",
         "f(decimal64, decimal128, decimal32, char32_t, char16_t, char8_t, auto, decltype(auto), decltype(nullptr))",
         "f"},
        {"_Z1fu3foo", "f(foo)", "f"},
        {"_Z1fu3fooIiE", "f(foo<int>)", "f"},
        {"_Z1fPU3AS1i", "f(int AS1*)", "f"},
        {"_Z1fVKPKVi", "f(int volatile const* const volatile)", "f"},
        {"_Z1fTsN1A1BE", "f(struct A::B)", "f"},
        {"_Z1fTe3foo", "f(enum foo)", "f"},
        {"_ZN1A1BIiE1CIcE3dddIlEEvT_", "void A::B<int>::C<char>::ddd<long>(long)",
         "A::B<int>::C<char>::ddd<long>"},
        {"_Z1fINS_1AEE", "f<f::A>", NULL},
        {"_Z1fA_i", "f(int [])", "f"},
        {"_Z1fIiEvAstT__i", "void f<int>(int [sizeof (int)])", "f<int>"},
        {"_Z1fP11objc_object", "f(objc_object*)", "f"},
        {"_Z3foov.cold", "foo() [clone .cold]", "foo [clone .cold]"},
        {"_Z3foov.part.0.cold", "foo() [clone .part.0] [clone .cold]", "foo [clone .part.0] [clone .cold]"},
        {"_Z3foov.constprop.0.isra.0", "foo() [clone .constprop.0] [clone .isra.0]",
         "foo [clone .constprop.0] [clone .isra.0]"},
        {"_Z3foov.avx2", "foo() [clone .avx2]", "foo [clone .avx2]"},
        {"_Z3foov.avx2.5", "foo() [clone .avx2.5]", "foo [clone .avx2.5]"},
        {"_Z3foov.llvm.1234567", "foo() [clone .llvm.1234567]", "foo [clone .llvm.1234567]"},
        {"_Z3foov.__uniq.12345", "foo() [clone .__uniq.12345]", "foo [clone .__uniq.12345]"},
        {"_Z3foo.cold", "foo [clone .cold]", NULL},
        {"_GLOBAL__I_foo", "global constructors keyed to foo", NULL},
        {"_GLOBAL__I__Z3foov", "global constructors keyed to foo()", "global constructors keyed to foo"},
        {"_GLOBAL__D__ZN1AC1Ev", "global destructors keyed to A::A()", "global destructors keyed to A::A"},
        {"_ZNKR1A1fEv", "A::f() const &", "A::f"},
        {"_ZNKO1A1fEv", "A::f() const &&", "A::f"},
        {"_ZNH1A1fEv", "A::f()", "A::f"},
        {"_Z1fIiQ1cEvT_", "void f<int>(int)", "f<int>"},
        {"_Z1fITn1cIT_EvEvv", "void f<void>()", "f<void>"},
        {"_ZN1AUlvE_C1Ev", "A::{lambda()#1}::A()", "A::{lambda()#1}::A"},
        {"_ZN1AF1fEv", "A::f()", "A::f"},
        {"_ZNSt3__112basic_stringIcE3fooEv", "std::__1::basic_string<char>::foo()",
         "std::__1::basic_string<char>::foo"},
        {"_ZSt4cout", "std::cout", NULL},
        {"_ZSt3fooIiEvT_", "void std::foo<int>(int)", "std::foo<int>"},
        {"_ZNSt3fooIiE3barEv", "std::foo<int>::bar()", "std::foo<int>::bar"},
        {"_ZStplIcEvT_", "void std::operator+<char>(char)", "std::operator+<char>"},
        {"_ZUlvE_", "{lambda()#1}", NULL},
        {"_ZNK1A1xMUlvE_clEv", "A::x::{lambda()#1}::operator()() const", "A::x::{lambda()#1}::operator()"},
        {"_Z1fIJiEJlcEEvDpT_DpT0_", "void f<int, long, char>(int, long, char)", "f<int, long, char>"},
        {"_Z1fIiEvN2NSIXL_Z5valueEEEE", "void f<int>(NS<value>)", "f<int>"},
        {"_Z1fILPKc0EEvv", "void f<(char const*)0>()", "f<(char const*)0>"},
        {"_Z1fIXcvPvLi0EEEvv", "void f<(void*)(0)>()", "f<(void*)(0)>"},
        {"_ZN1aUlTpTyDpT_E_clEv", "a::{lambda<typename... $T0>(($T0)...)#1}::operator()()",
         "a::{lambda<typename... $T0>(($T0)...)#1}::operator()"},
        {"_ZN1aUlTpTyDpRKT_E_clEv", "a::{lambda<typename... $T0>(($T0 const&)...)#1}::operator()()",
         "a::{lambda<typename... $T0>(($T0 const&)...)#1}::operator()"},
        {"_ZN1aUlTyT_T0_E_clEv", "a::{lambda<typename $T0>($T0, auto:2)#1}::operator()()",
         "a::{lambda<typename $T0>($T0, auto:2)#1}::operator()"},
        {"_ZN1aUlTniAT__cE_clEv", "a::{lambda<int $N0>(char [$N0])#1}::operator()()",
         "a::{lambda<int $N0>(char [$N0])#1}::operator()"},
        {"_ZN1aUlTniA_cE_clEv", "a::{lambda<int $N0>(char [])#1}::operator()()",
         "a::{lambda<int $N0>(char [])#1}::operator()"},
        {"_ZN1aUlTpTniA_cE_clEv", "a::{lambda<int... $N0>(char [])#1}::operator()()",
         "a::{lambda<int... $N0>(char [])#1}::operator()"},
        {"_ZN1aUlTtTnPFviETpTyETyT_IiET0_E_clEv",
         "a::{lambda<template<void (*)(int), typename...> class $TT0, typename $T1>($TT0<int>, $T1)#1}::operator()()",
         "a::{lambda<template<void (*)(int), typename...> class $TT0, typename $T1>($TT0<int>, $T1)#1}::operator()"},
        {"_ZN1aUlTpTtTyEvE_clEv", "a::{lambda<template<typename> class... $TT0>()#1}::operator()()",
         "a::{lambda<template<typename> class... $TT0>()#1}::operator()"},
        {"_ZN1aUlTyvE_clEv", "a::{lambda<typename $T0>()#1}::operator()()",
         "a::{lambda<typename $T0>()#1}::operator()"},
        {"_ZN1aUlTyTyT_NS_1bIT0_EEE_clEv",
         "a::{lambda<typename $T0, typename $T1>($T0, a::b<$T1>)#1}::operator()()",
         "a::{lambda<typename $T0, typename $T1>($T0, a::b<$T1>)#1}::operator()"},
        {"_ZN1aUlTyT_T0_E_clIiiEEvS0_S1_",
         "void a::{lambda<typename $T0>($T0, auto:2)#1}::operator()<int, int>(int, int)",
         "a::{lambda<typename $T0>($T0, auto:2)#1}::operator()<int, int>"},
        {"_ZN1aUlTk1CT_E_clEv", "a::{lambda<C $T0>($T0)#1}::operator()()",
         "a::{lambda<C $T0>($T0)#1}::operator()"},
        {"_ZN1aUlTyZNS_UlTyT0_T_E_clEvE1cE_clEv",
         "a::{lambda<typename $T0>(a::{lambda<typename $T0>(auto:2, $T0)#1}::operator()()::c)#1}::operator()()",
         "a::{lambda<typename $T0>(a::{lambda<typename $T0>(auto:2, $T0)#1}::operator()()::c)#1}::operator()"},
        {"_ZN1AUlTyT_E_clIiEEvS0_", "void A::{lambda<typename $T0>($T0)#1}::operator()<int>(int)",
         "A::{lambda<typename $T0>($T0)#1}::operator()<int>"},
        {"_Z1fPDxFvvE", "f(void (*)() transaction_safe)", "f"},
        {"_Z1fIiEDTclL_Z1gvEEET_", "decltype (g()) f<int>(int)", "f<int>"},
        {"_ZNSt6vectorIiSaIiEE9push_backERKi",
         "std::vector<int, std::allocator<int> >::push_back(int const&)",
         "std::vector<int, std::allocator<int> >::push_back"},
        {"_ZNKSt8functionIFviEEclEi", "std::function<void (int)>::operator()(int) const",
         "std::function<void (int)>::operator()"},
        {"_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_",
         "std::basic_ostream<char, std::char_traits<char> >& std::endl<char, std::char_traits<char> >(std::basic_ostream<char, std::char_traits<char> >&)",
         "std::endl<char, std::char_traits<char> >"},
        {"_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1ERKS4_",
         "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)",
         "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string"},
        {"_ZN4llvm10checkedAddIiEENSt9enable_ifIXsr3std9is_signedIT_EE5valueENS_8OptionalIS2_EEE4typeES2_S2_",
         "std::enable_if<std::is_signed<int>::value, llvm::Optional<int> >::type llvm::checkedAdd<int>(int, int)",
         "llvm::checkedAdd<int>"},
        {"_ZNSt17_Function_handlerIFvvEZN2v84base8CallOnceIJEvEEvPSt6atomicIhENS2_16FunctionWithArgsIJDpT_EE4typeES9_EUlvE_E9_M_invokeERKSt9_Any_data",
         "std::_Function_handler<void (), v8::base::CallOnce<void>(std::atomic<unsigned char>*, v8::base::FunctionWithArgs<>::type)::{lambda()#1}>::_M_invoke(std::_Any_data const&)",
         "std::_Function_handler<void (), v8::base::CallOnce<void>(std::atomic<unsigned char>*, v8::base::FunctionWithArgs<>::type)::{lambda()#1}>::_M_invoke"},
        {"_ZSt7find_ifIPKtZN2v88internal20Utf16CharacterStream12AdvanceUntilIZNS3_7Scanner14SkipWhiteSpaceEvEUljE_EEjT_EUltE_ES8_S8_S8_T0_",
         "unsigned short const* std::find_if<unsigned short const*, v8::internal::Utf16CharacterStream::AdvanceUntil<v8::internal::Scanner::SkipWhiteSpace()::{lambda(unsigned int)#1}>(v8::internal::Scanner::SkipWhiteSpace()::{lambda(unsigned int)#1})::{lambda(unsigned short)#1}>(unsigned short const*, unsigned short const*, v8::internal::Utf16CharacterStream::AdvanceUntil<v8::internal::Scanner::SkipWhiteSpace()::{lambda(unsigned int)#1}>(v8::internal::Scanner::SkipWhiteSpace()::{lambda(unsigned int)#1})::{lambda(unsigned short)#1})",
         "std::find_if<unsigned short const*, v8::internal::Utf16CharacterStream::AdvanceUntil<v8::internal::Scanner::SkipWhiteSpace()::{lambda(unsigned int)#1}>(v8::internal::Scanner::SkipWhiteSpace()::{lambda(unsigned int)#1})::{lambda(unsigned short)#1}>"},
        {"_ZZN4node17GetSockOrPeerNameINS_7TCPWrapEXadL_Z18uv_tcp_getpeernameEEEEvRKN2v820FunctionCallbackInfoINS2_5ValueEEEE20error_and_abort_args",
         "node::GetSockOrPeerName<node::TCPWrap, &uv_tcp_getpeername>(v8::FunctionCallbackInfo<v8::Value> const&)::error_and_abort_args",
         NULL},
        {"_Z1fIRA3_KiEvT_", "void f<int const (&) [3]>(int const (&) [3])", "f<int const (&) [3]>"},
        {"_Z1fSo", "f(std::basic_ostream<char, std::char_traits<char> >)", "f"},
        {"_Z1fSs", "f(std::basic_string<char, std::char_traits<char>, std::allocator<char> >)", "f"},
        {"_ZNSolsEi", "std::basic_ostream<char, std::char_traits<char> >::operator<<(int)",
         "std::basic_ostream<char, std::char_traits<char> >::operator<<"},
        {"_Z1fILb1EJLi1ELi2EEEvSt16integer_sequenceIiJXspT0_EEE",
         "void f<true, 1, 2>(std::integer_sequence<int, 1, 2>)", "f<true, 1, 2>"},
        {"_Z1fIJilEEvSt5tupleIJDpT_EE", "void f<int, long>(std::tuple<int, long>)", "f<int, long>"},
        {"_Z1fIJilEEvDpSt4pairIT_iE", "void f<int, long>(std::pair<int, int>, std::pair<long, int>)",
         "f<int, long>"},
        {"_Z1fIJilEJcdEEvSt5tupleIJDpSt4pairIT_T0_EEE",
         "void f<int, long, char, double>(std::tuple<std::pair<int, char>, std::pair<long, double> >)",
         "f<int, long, char, double>"},
        {"_Z1fIiEDTclgs1gEET_", "decltype ((::g)()) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTcl1gIT_Efp_EES0_", "decltype ((g<int>)({parm#1})) f<int>(int)", "f<int>"},
        {"_Z1fILi3EEvRAT__c", "void f<3>(char (&) [3])", "f<3>"},
        {"_Z1fILi3EEvRAplT_Li1E_c", "void f<3>(char (&) [(3)+(1)])", "f<3>"},
        {"_Z1fN1AIXsr1BE1vEEE", "f(A<B::v>)", "f"},
        {"_Z1fIiEvDTnw_T_ilLi1EEE", "void f<int>(decltype (new int{1}))", "f<int>"},
        {"_Z1fIiEDTcvT_ilEES0_", "decltype ((int){}) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTsrSt1AIiE1bET_", "decltype (std::A<int>::b) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTsrNT_1A1BE3fooES0_", "decltype (int::A::B::foo) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTsrNT_1AIcEE3fooIiEES0_", "decltype (int::A<char>::foo<int>) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTsrT_dn3fooES0_", "decltype (int::~foo) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTdn3fooIiEET_", "decltype (~foo<int>) f<int>(int)", "f<int>"},
        {"_Z1fIiEDTptfp_sr1A1BET_", "decltype ({parm#1}->A::B) f<int>(int)", "f<int>"},
        {"_Z1fIiQaa1cIT_Ent1dIS0_EEvS0_", "void f<int>(int)", "f<int>"},
        {"_ZN1aUlTyTniTtTyETpTyT_E_clEv",
         "a::{lambda<typename $T0, int $N1, template<typename> class $TT2, typename... $T3>($T0)#1}::operator()()",
         "a::{lambda<typename $T0, int $N1, template<typename> class $TT2, typename... $T3>($T0)#1}::operator()"},
        {"_Z1fDnDa", "f(decltype(nullptr), auto)", "f"},
        {"_Z1fDv8_DF16_", "f(_Float16 __vector(8))", "f"},
        {"_Z1fDF32xDF128_", "f(_Float32x, _Float128)", "f"},
        {"_Z1fIiEvTL0__", "void f<int>(int)", "f<int>"},
        {"_ZN12_GLOBAL__N_11A3fooEv.constprop.0.cold.1",
         "(anonymous namespace)::A::foo() [clone .constprop.0] [clone .cold.1]",
         "(anonymous namespace)::A::foo [clone .constprop.0] [clone .cold.1]"},
        {"_ZGVZN1A3fooEvE1b", "guard variable for A::foo()::b", NULL},
        {"_ZTv0_n24_N1AD1Ev", "virtual thunk to A::~A()", "virtual thunk to A::~A"},
        {"_ZNKSt3mapIiiE4findERKi", "std::map<int, int>::find(int const&) const", "std::map<int, int>::find"},
        {"_ZN1A1BC2IiEET_", "A::B::B<int>(int)", "A::B::B<int>"},
        {"_ZN1AIiED0Ev", "A<int>::~A()", "A<int>::~A"},
        {"_ZZN1A1fEvE1B__12_", "A::f()::B", NULL},
        {"_Z1fu6__int8", "f(__int8)", "f"},
        {"_Z1fDTcmLi1ELi2EE", "f(decltype ((1),(2)))", "f"},
        {"_Z3fooIJEEvv", "void foo<>()", "foo<>"},
        {"_ZN3fooIJiEE3barIJcdEEEvv", "void foo<int>::bar<char, double>()", "foo<int>::bar<char, double>"},
        {"_Z1fIXeqLi1ELi2EEEvv", "void f<(1)==(2)>()", "f<(1)==(2)>"},
        {"_Z1fIXgtLi1ELi2EEEvv", "void f<((1)>(2))>()", "f<((1)>(2))>"},
        {"_Z1fIXstN1A1BEEEvv", "void f<sizeof (A::B)>()", "f<sizeof (A::B)>"},
        {"_Z1fILPFvvE0EEvv", "void f<(void (*)())0>()", "f<(void (*)())0>"},
        {"_Z1fIXadL_ZNK1A3fooEvEEEvv", "void f<&(A::foo() const)>()", "f<&(A::foo() const)>"},
        {"_Z1fILd4009EEvv", "void f<(double)[4009]>()", "f<(double)[4009]>"},
        {"_ZN1AaSEOS_", "A::operator=(A&&)", "A::operator="},
        {"_Zrm1AS_", "operator%(A, A)", "operator%"},
        {"_ZN1ApmEi", "A::operator->*(int)", "A::operator->*"},
        {"_ZNKSt4hashI1AEclERKS0_", "std::hash<A>::operator()(A const&) const", "std::hash<A>::operator()"},
        {"_Z41__static_initialization_and_destruction_0v", "__static_initialization_and_destruction_0()",
         "__static_initialization_and_destruction_0"},
        {"_Z1fIiiEvRT_RKT0_", "void f<int, int>(int&, int const&)", "f<int, int>"},
        {"_Z1fM1AKDoFvvE", "f(void (A::*)() const noexcept)", "f"},
        {"_Z1fPM1AFvvE", "f(void (A::**)())", "f"},
        {"_Z1fPA_A3_i", "f(int (*) [][3])", "f"},
        {"_Z1fPFvPFvvEE", "f(void (*)(void (*)()))", "f"},
        {"_Z1fPrKc", "f(char const restrict*)", "f"},
        {"_ZTINSt6thread11_State_implINS_8_InvokerISt5tupleIJPFvvEEEEEEE",
         "typeinfo for std::thread::_State_impl<std::thread::_Invoker<std::tuple<void (*)()> > >", NULL},
};

static const char *const refused[] = {
        "",
        "_",
        "_Z",
        "main",
        "foo()",
        "Z3foov",
        "_ZN3fooEv.",
        "_Z3foov.+",
        "_Z3foov..cold",
        "_Z4foo",
        "_Z0v",
        "_Z99999999999999999999foo",
        "_Z3fooiE",
        "_ZS_",
        "_ZS0_v",
        "_Z1fS5_",
        "_Z1fT_",
        "_Z1fIT_EvT_",
        "_Z1fIiEvT1_",
        "_Z1fIiEvT99999999999_",
        "_ZNK",
        "_ZC1v",
        "_ZN1AC9x",
        "_ZN1AxxEv",
        "_ZN1AscEv",
        "_Z1fDx",
        "_Z1fDF17_",
        "_Z1fDFb",
        "_Z1fDB_",
        "_Z1fA",
        "_Z1fA5i",
        "_Z1fM1A",
        "_Z1fFv",
        "_Z1fPDOLb1EFvvE",
        "_Z1fU",
        "_Z1fu",
        "_Z1fTs",
        "_Z1fDTfp_",
        "_Z1fDTflscfp_E",
        "_Z1fDTfLE",
        "_Z1fDTfq_E",
        "_Z1fDTnw_E",
        "_Z1fDTnw_iplE",
        "_Z1fDTzzE",
        "_Z1fILi5",
        "_Z1fIL_Z",
        "_Z1fIXLi5EvEEv",
        "_Z1fIJ",
        "_Z1fIiEvDp",
        "_ZTh",
        "_ZThn_v",
        "_ZTcn8_1fv",
        "_ZTv0_1fv",
        "_ZTC1A_1B",
        "_ZTC1A0_",
        "_ZTX1A",
        "_ZGX1A",
        "_ZGR1Ax",
        "_ZZ1fvE",
        "_ZZ1fvEd",
        "_ZZ1fvE1a_",
        "_ZZ1fvE1a__5",
        "_ZZ1fv1a",
        "_ZN1AUlvE",
        "_ZN1AUlTqE_Ev",
        "_ZN1AUtxEv",
        "_ZDC1a",
        "_ZN1AB",
        "_Zli",
        "_Zv2xi",
        "_GLOBAL_",
        "_GLOBAL__",
        "_GLOBAL__I",
        "_GLOBAL__X_foo",
        "_GLOBAL__I__Z",
        "_ZGr3_foo",
        "_Z1fAszT__i",
        "_GLOBAL__sub_I__Z3foov",
        "_ZN1A1fEv[clone .foo]",
        "_Z1fILZ3foovE1aEEvv",
        "_Z1fIXsr1AIT_E1vEEvS1_",
        "_Z1fIiEvN9enable_ifIXaa13is_integral_vIT_Ent7is_sameIS1_bEE4typeE",
};

TEST(full_signatures)
{
        struct buf out = {0};

        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
                EXPECT_STR(text_of(&out, names[i].mangled, true), names[i].full);
        buf_release(&out);
}

TEST(names_without_parameters)
{
        struct buf out = {0};

        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
                EXPECT_STR(text_of(&out, names[i].mangled, false),
                           names[i].brief ? names[i].brief : names[i].full);
        buf_release(&out);
}

TEST(what_is_no_name_is_refused)
{
        struct buf out = {0};

        for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
                const char *text = text_of(&out, refused[i], true);

                if (strcmp(text, "(refused)") != 0)
                        TAP_FAIL("%s is '%s'", refused[i], text);
        }
        buf_release(&out);
}

TEST(output_is_appended_or_left)
{
        struct buf out = {0};

        EXPECT_TRUE(!demangle_cxx("_Z3fo", true, &out));
        EXPECT_INT(out.len, 0);
        buf_add_str(&out, "main;");
        EXPECT_TRUE(!demangle_cxx("_Z1fIiEvT1_", true, &out));
        EXPECT_TRUE(!demangle_cxx("_Z3foov.cold.+", true, &out));
        EXPECT_TRUE(!demangle_cxx("_GLOBAL__I__Z3fo", true, &out));
        EXPECT_STR(buf_text(&out), "main;");
        EXPECT_TRUE(demangle_cxx("_Z3foov", true, &out));
        EXPECT_STR(buf_text(&out), "main;foo()");
        buf_release(&out);
}

/* A prefix of a name may also be a name, but the parser must not read after its end: each prefix has its
 * own allocation. */
TEST(names_cut_anywhere)
{
        struct buf out = {0};
        size_t n_good = 0;

        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
                size_t len = strlen(names[i].mangled);

                for (size_t cut = 0; cut < len; cut++) {
                        char *copy = malloc(cut + 1);

                        ASSERT_TRUE(copy);
                        memcpy(copy, names[i].mangled, cut);
                        copy[cut] = '\0';
                        n_good += strcmp(text_of(&out, copy, cut & 1), "(refused)") != 0;
                        free(copy);
                }
        }
        EXPECT_CMP(n_good, >, 100);
        buf_release(&out);
}

static const struct nesting nestings[] = {
        {"_Z1f", "P", "i"},         {"_Z1f", "K", "i"},          {"_Z1f", "U1a", "i"},
        {"_Z1f", "A1_", "i"},       {"_Z1f", "M1a", "i"},        {"_Z1f", "PFv", "v"},
        {"_Z1f", "1aI", "i"},       {"_Z1f", "N1aI", "i"},       {"_Z1fI", "J", "EEvv"},
        {"_Z", "Z", "1fvE1a"},      {"_Z", "GA", "1fv"},         {"_Z", "GTt", "1fv"},
        {"_Z1fDT", "ng", "fp_E"},   {"_Z1fDT", "gs", "1aE"},     {"_Z1fDT", "pl", "fp_E"},
        {"_Z1fDT", "cv", "i"},      {"_Z1fDT", "DT", "E"},       {"_Z1fDT", "clsp", "E"},
        {"_Z1fIL_Z", "1fIL_Z", ""}, {"_ZN1aUl", "Ul", "E_E"},    {"_ZN1aUl", "Tp", "E_E"},
        {"_ZN1aUl", "Tt", "E_E"},   {"_ZN1acv", "N1acv", "iEv"}, {"_Z1fDT", "u1a", "E"},
        {"_Z1fDv", "Dv", "_i"},     {"_Z1f", "Dp", "i"},         {"_Z1fDT", "sr", "1a1b"},
        {"_ZN1a", "CI1", "N1aE"},   {"_Z1fIXtl", "tl", "EEEvv"}, {"_Z1fDT", "flpl", "fp_E"},
};

TEST(deep_nesting_is_refused)
{
        for (size_t i = 0; i < sizeof(nestings) / sizeof(nestings[0]); i++)
                expect_refused_when_deep(&nestings[i]);
}

static char *nested_templates(const char *start, const char *open, const char *middle, const char *close,
                              const char *end)
{
        char *front = repeated(start, open, 60, middle);
        char *whole = repeated(front, close, 60, end);

        free(front);
        return whole;
}

TEST(nesting_around_the_limit)
{
        char *name = repeated("_Z1f", "P", 100, "i");
        char *text = repeated("f(int", "*", 100, ")");
        struct buf out = {0};

        EXPECT_STR(text_of(&out, name, true), text);
        free(name);
        free(text);
        name = repeated("_Z1f", "P", 300, "i");
        EXPECT_STR(text_of(&out, name, false), "(refused)");
        free(name);
        name = nested_templates("_Z1f", "1aI", "i", "E", "");
        text = nested_templates("f(", "a<", "int", "> ", "");
        /* Among closing brackets, the innermost has no space before it, the last one no space after it. */
        text[strlen(text) - 1] = ')';
        EXPECT_STR(text_of(&out, name, true), text);
        free(name);
        free(text);
        buf_release(&out);
}

/* Each type contains the one before twice: 2^n names in n steps. */
static char *doubling(int n_steps)
{
        struct buf name = {0};

        buf_add_str(&name, "_Z1f1aIiiE");
        for (int i = 0; i < n_steps; i++) {
                if (i)
                        buf_printf(&name, "S_IS%c_S%c_E", '0' + i - 1, '0' + i - 1);
                else
                        buf_add_str(&name, "S_IS0_S0_E");
        }
        return buf_take(&name);
}

TEST(doubling_is_refused)
{
        struct buf out = {0};
        char *name = doubling(2);

        EXPECT_STR(text_of(&out, name, true),
                   "f(a<int, int>, a<a<int, int>, a<int, int> >, a<a<int, int>, a<int, int> >)");
        free(name);
        name = repeated("_Z1f1aIiiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_ES_IS4_S4_ES_IS5_S5_ES_IS6_S6_E"
                        "S_IS7_S7_ES_IS8_S8_ES_IS9_S9_ES_ISA_SA_ES_ISB_SB_ES_ISC_SC_ES_ISD_SD_ES_ISE_SE_E",
                        "S_ISF_SF_E", 1, "");
        EXPECT_STR(text_of(&out, name, true), "(refused)");
        free(name);
        buf_release(&out);
}

/* A name whose parts print nothing uses steps, but no output. */
TEST(silent_work_is_bounded)
{
        struct buf out = {0};
        char *name = repeated("_Z1fIJEEv", "DpT_", 8000, "");
        char *nested = repeated("_Z1fIJEJ", "J", 100, "");

        EXPECT_STR(text_of(&out, name, true), "void f<>()");
        EXPECT_STR(text_of(&out, nested, true), "(refused)");
        free(name);
        free(nested);
        /* Every element of a pack of thousands is searched from the front. */
        name = repeated("_Z1fIJ", "i", 5000, "EEvDpT_");
        EXPECT_STR(text_of(&out, name, true), "(refused)");
        EXPECT_CONTAINS(text_of(&out, name, false), "f<int, int, int");
        free(name);
        buf_release(&out);
}

/* f<int, int, ... T>, where T is a pointer to a pointer ... made by `n` substitutions that are not
 * printed. */
static char *pointer_chain(unsigned n)
{
        static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        struct buf name = {0};

        buf_add_str(&name, "_Z1fITnPii");
        for (unsigned i = 0; i < n; i++)
                buf_printf(&name, "TnPS%c%c_i", digits[i / 36], digits[i % 36]);
        buf_printf(&name, "S%c%c_Evv", digits[n / 36], digits[n % 36]);
        return buf_take(&name);
}

TEST(nesting_of_the_output_is_bounded)
{
        struct buf out = {0};
        char *name = pointer_chain(500);

        EXPECT_CONTAINS(text_of(&out, name, true), "int, int**************");
        free(name);
        name = pointer_chain(1000);
        EXPECT_STR(text_of(&out, name, true), "(refused)");
        free(name);
        buf_release(&out);
}

TEST(length_is_bounded)
{
        struct buf out = {0};
        char *name = repeated("_Z1f", "i", 1024 * 1024, "");

        EXPECT_STR(text_of(&out, name, true), "(refused)");
        free(name);
        name = repeated("_Z1f", "i", DEMANGLE_MAX_NODES / 2 - 10, "");
        EXPECT_STR(text_of(&out, name, true), "(refused)"); /* too much output */
        EXPECT_STR(text_of(&out, name, false), "f");
        free(name);
        name = repeated("_Z1f", "i", DEMANGLE_MAX_NODES / 2, "");
        EXPECT_STR(text_of(&out, name, false), "(refused)"); /* too many pieces */
        free(name);
        /* One byte too long, and just right. */
        name = repeated("_Z32762", "a", 32762, "");
        EXPECT_STR(text_of(&out, name, true), "(refused)");
        free(name);
        name = repeated("_Z32761", "a", 32761, "");
        EXPECT_INT(strlen(text_of(&out, name, true)), 32761);
        free(name);
        buf_release(&out);
}

TAP_MAIN
