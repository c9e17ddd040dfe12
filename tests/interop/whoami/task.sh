#!/bin/sh
# task.sh: one process of a launch. Leaves in the folder RESULTS what it was given and what Rollcall says about it: NAME.given (its
# environment), NAME.whoami, NAME.exec (the environment that `rollcall exec` gives), each with .status and .error.
name=$RESULTS/$$
env -0 >"$name.given"
# shellcheck disable=SC2086 # the targets have no blanks
"$ROLLCALL" whoami $WHOAMI_TARGET --format json >"$name.whoami" 2>"$name.whoami.error"
echo $? >"$name.whoami.status"
# shellcheck disable=SC2086
"$ROLLCALL" exec $EXEC_TARGET --quiet --require-task --as torch-env,jax -- env -0 >"$name.exec" 2>"$name.exec.error"
echo $? >"$name.exec.status"
