# Sourced by scripts right after they have changed to the repository: a path that they are given is meant from where the
# user is.
from=$OLDPWD

absolute() { (cd "$from" && realpath -m -- "$1"); }
