# After a doctest program is linked: asks it for its test cases and writes one add_test for each.
# In a filter of doctest a bare comma separates names, asterisks match anything and case is ignored:
# commas are escaped here, and tests/lint keeps names plain and unique. A filter that matches
# nothing would pass, so that output is made a failure.
execute_process(COMMAND ${PROGRAM} --list-test-cases --no-skip --reporters=xml
  OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "<TestCase name=\"[^\"]*\"" cases "${listing}")
set(script)
foreach(case IN LISTS cases)
  string(REGEX REPLACE "^<TestCase name=\"(.*)\"$" "\\1" name "${case}")
  string(REPLACE "," "\\," filter "${name}")
  string(APPEND script
    "add_test([==[${PREFIX}${name}]==] [==[${PROGRAM}]==] [==[--test-case=${filter}]==])\n"
    "set_tests_properties([==[${PREFIX}${name}]==] PROPERTIES LABELS ${LABEL}"
    " SKIP_REGULAR_EXPRESSION [==[${SKIP}]==] FAIL_REGULAR_EXPRESSION \"test cases: +0 \")\n")
endforeach()
file(WRITE ${OUT} "${script}")
