# Sourced by ops/run, ops/test, ops/bench and ops/model: what a fresh Debian machine with a Swift toolchain lacks.
# Installs it as root or with sudo; else prints the one command to run.

require_packages() {
    local missing=()
    command -v python3 >/dev/null || missing+=(python3)
    # For the Python client in the tests; Debian keeps it apart.
    python3 -c "import ensurepip, venv" 2>/dev/null || missing+=(python3-venv)
    command -v openssl >/dev/null || missing+=(openssl)
    command -v pkg-config >/dev/null || missing+=(pkg-config)
    [ -e /usr/include/postgresql/libpq-fe.h ] || missing+=(libpq-dev)
    [ -e /usr/include/sqlite3.h ] || missing+=(libsqlite3-dev)
    compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || missing+=(postgresql)
    # For the tests alone: their servers run behind it too.
    [ "${1:-}" != --tests ] || [ -x /usr/sbin/pgbouncer ] || missing+=(pgbouncer)
    # For the bench alone: the yardsticks of fan-out, watch and idle, and of route.
    [ "${1:-}" != --bench ] || [ -x /usr/sbin/mosquitto ] || missing+=(mosquitto)
    [ "${1:-}" != --bench ] || [ -e /usr/include/GeographicLib/Geodesic.hpp ] || missing+=(libgeographiclib-dev)
    [ "${1:-}" != --bench ] || command -v g++ >/dev/null || missing+=(g++)
    install_packages "${missing[@]}"
}

# For ops/model alone.
require_spin() {
    local missing=()
    command -v spin >/dev/null || missing+=(spin)
    command -v gcc >/dev/null || missing+=(gcc libc6-dev)
    install_packages "${missing[@]}"
}

install_packages() {
    [ "$#" -eq 0 ] && return 0
    local install="apt-get install -y --no-install-recommends $*"
    if [ "$(id -u)" -eq 0 ]; then
        echo "installing: $*" >&2
        apt-get update -q >&2 && DEBIAN_FRONTEND=noninteractive $install >&2
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        echo "installing: $*" >&2
        sudo apt-get update -q >&2 && sudo DEBIAN_FRONTEND=noninteractive $install >&2
    else
        echo "Missing: $*. Run this, then try again:" >&2
        echo "  su -c 'apt-get update && $install'" >&2
        return 1
    fi
}

require_swift() {
    command -v swift >/dev/null && return 0
    echo "No Swift toolchain on the PATH. Install Swift 6.2 or later (swift.org/install), then try again." >&2
    return 1
}
