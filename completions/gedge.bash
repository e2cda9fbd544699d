# bash completion of gedge, written by `gedge completion bash`

# Offers values: words, @files, or a kind of live words that only gedge knows.
_gedge_offer() {
  local value words
  for value in $1; do
    case $value in
      @files)
        compopt -o filenames 2>/dev/null
        COMPREPLY+=($(compgen -f -- "$cur"))
        ;;
      @*)
        words=$(gedge __complete "${value#@}" "${COMP_WORDS[@]:1}" 2>/dev/null)
        COMPREPLY+=($(compgen -W "$words" -- "$cur"))
        ;;
      *) COMPREPLY+=($(compgen -W "$value" -- "$cur")) ;;
    esac
  done
}

# Sets flags, valued, operands and rest (further operands) for a command, and values if $prev is one
# of its flags with a value.
_gedge_describe() {
  case $1 in
    'plan')
      flags='-f --filename -R --recursive -n --namespace --cluster --rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --profile --compat --plugin --seed --machines -o --output --no-headers --sort-by -A --all-namespaces -l --selector --out --what-if --replan --kubeconfig --context --as --as-group --no-exec-credentials --insecure-skip-tls-verify --request-timeout --threads --max-input --color -q --quiet -v --v -h --help'
      valued='-f --filename -n --namespace --cluster --rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --profile --compat --plugin --seed --machines -o --output --sort-by -l --selector --out --what-if --kubeconfig --context --as --as-group --request-timeout --threads --max-input --color -v --v'
      case $prev in
        -f | --filename) values='@files' ;;
        -n | --namespace) values='' ;;
        --cluster) values='@files' ;;
        --rtt) values='@files' ;;
        --rtt-names) values='@files' ;;
        --rtt-unit) values='us ms s' ;;
        --cost-unit) values='us ms s' ;;
        --rtt-zero) values='missing value' ;;
        --rtt-by) values='' ;;
        --rtt-stat) values='p50 p95 p99 max' ;;
        --max-age) values='' ;;
        --now) values='' ;;
        --profile) values='@profiles @files' ;;
        --compat) values='1.20 1.36' ;;
        --plugin) values='@files' ;;
        --seed) values='' ;;
        --machines) values='@files' ;;
        -o | --output) values='table wide json yaml name' ;;
        --sort-by) values='' ;;
        -l | --selector) values='' ;;
        --out) values='@files' ;;
        --what-if) values='' ;;
        --kubeconfig) values='@files' ;;
        --context) values='' ;;
        --as) values='' ;;
        --as-group) values='' ;;
        --request-timeout) values='' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'explain')
      flags='-f --filename -R --recursive -n --namespace --cluster --rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --profile --compat --plugin --seed --machines -o --output --no-headers --kubeconfig --context --as --as-group --no-exec-credentials --insecure-skip-tls-verify --request-timeout --threads --max-input --color -q --quiet -v --v -h --help'
      valued='-f --filename -n --namespace --cluster --rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --profile --compat --plugin --seed --machines -o --output --kubeconfig --context --as --as-group --request-timeout --threads --max-input --color -v --v'
      operands=('@pods')
      case $prev in
        -f | --filename) values='@files' ;;
        -n | --namespace) values='' ;;
        --cluster) values='@files' ;;
        --rtt) values='@files' ;;
        --rtt-names) values='@files' ;;
        --rtt-unit) values='us ms s' ;;
        --cost-unit) values='us ms s' ;;
        --rtt-zero) values='missing value' ;;
        --rtt-by) values='' ;;
        --rtt-stat) values='p50 p95 p99 max' ;;
        --max-age) values='' ;;
        --now) values='' ;;
        --profile) values='@profiles @files' ;;
        --compat) values='1.20 1.36' ;;
        --plugin) values='@files' ;;
        --seed) values='' ;;
        --machines) values='@files' ;;
        -o | --output) values='table json yaml name' ;;
        --kubeconfig) values='@files' ;;
        --context) values='' ;;
        --as) values='' ;;
        --as-group) values='' ;;
        --request-timeout) values='' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'why-not')
      flags='-f --filename -R --recursive -n --namespace --cluster --rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --profile --compat --plugin --seed --machines -o --output --no-headers --kubeconfig --context --as --as-group --no-exec-credentials --insecure-skip-tls-verify --request-timeout --threads --max-input --color -q --quiet -v --v -h --help'
      valued='-f --filename -n --namespace --cluster --rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --profile --compat --plugin --seed --machines -o --output --kubeconfig --context --as --as-group --request-timeout --threads --max-input --color -v --v'
      operands=('@pods' '@nodes')
      case $prev in
        -f | --filename) values='@files' ;;
        -n | --namespace) values='' ;;
        --cluster) values='@files' ;;
        --rtt) values='@files' ;;
        --rtt-names) values='@files' ;;
        --rtt-unit) values='us ms s' ;;
        --cost-unit) values='us ms s' ;;
        --rtt-zero) values='missing value' ;;
        --rtt-by) values='' ;;
        --rtt-stat) values='p50 p95 p99 max' ;;
        --max-age) values='' ;;
        --now) values='' ;;
        --profile) values='@profiles @files' ;;
        --compat) values='1.20 1.36' ;;
        --plugin) values='@files' ;;
        --seed) values='' ;;
        --machines) values='@files' ;;
        -o | --output) values='table json yaml name' ;;
        --kubeconfig) values='@files' ;;
        --context) values='' ;;
        --as) values='' ;;
        --as-group) values='' ;;
        --request-timeout) values='' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'verify')
      flags='-f --filename -R --recursive -n --namespace --cluster --rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --compat -o --output --no-headers --sort-by --kubeconfig --context --as --as-group --no-exec-credentials --insecure-skip-tls-verify --request-timeout --threads --max-input --color -q --quiet -v --v -h --help'
      valued='-f --filename -n --namespace --cluster --rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --compat -o --output --sort-by --kubeconfig --context --as --as-group --request-timeout --threads --max-input --color -v --v'
      operands=('@files')
      case $prev in
        -f | --filename) values='@files' ;;
        -n | --namespace) values='' ;;
        --cluster) values='@files' ;;
        --rtt) values='@files' ;;
        --rtt-names) values='@files' ;;
        --rtt-unit) values='us ms s' ;;
        --cost-unit) values='us ms s' ;;
        --rtt-zero) values='missing value' ;;
        --rtt-by) values='' ;;
        --rtt-stat) values='p50 p95 p99 max' ;;
        --max-age) values='' ;;
        --now) values='' ;;
        --compat) values='1.20 1.36' ;;
        -o | --output) values='table json yaml name' ;;
        --sort-by) values='' ;;
        --kubeconfig) values='@files' ;;
        --context) values='' ;;
        --as) values='' ;;
        --as-group) values='' ;;
        --request-timeout) values='' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'simulate')
      flags='--runs --seed --profile --compat --plugin -o --output --no-headers --threads --max-input --color -q --quiet -v --v -h --help'
      valued='--runs --seed --profile --compat --plugin -o --output --threads --max-input --color -v --v'
      operands=('@files')
      case $prev in
        --runs) values='' ;;
        --seed) values='' ;;
        --profile) values='@profiles @files' ;;
        --compat) values='1.20 1.36' ;;
        --plugin) values='@files' ;;
        -o | --output) values='table wide json yaml' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'policies')
      flags='--profile --compat --plugin --seed -o --output --no-headers --sort-by --threads --max-input --color -q --quiet -v --v -h --help'
      valued='--profile --compat --plugin --seed -o --output --sort-by --threads --max-input --color -v --v'
      case $prev in
        --profile) values='@profiles @files' ;;
        --compat) values='1.20 1.36' ;;
        --plugin) values='@files' ;;
        --seed) values='' ;;
        -o | --output) values='table wide json yaml name' ;;
        --sort-by) values='' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'config view')
      flags='--profile --compat --plugin --seed -o --output --threads --max-input --color -q --quiet -v --v -h --help'
      valued='--profile --compat --plugin --seed -o --output --threads --max-input --color -v --v'
      case $prev in
        --profile) values='@profiles @files' ;;
        --compat) values='1.20 1.36' ;;
        --plugin) values='@files' ;;
        --seed) values='' ;;
        -o | --output) values='json yaml' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'validate')
      flags='-f --filename -R --recursive -n --namespace --cluster --rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --profile --compat --plugin --seed -o --output --kubeconfig --context --as --as-group --no-exec-credentials --insecure-skip-tls-verify --request-timeout --threads --max-input --color -q --quiet -v --v -h --help'
      valued='-f --filename -n --namespace --cluster --rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --profile --compat --plugin --seed -o --output --kubeconfig --context --as --as-group --request-timeout --threads --max-input --color -v --v'
      case $prev in
        -f | --filename) values='@files' ;;
        -n | --namespace) values='' ;;
        --cluster) values='@files' ;;
        --rtt) values='@files' ;;
        --rtt-names) values='@files' ;;
        --rtt-unit) values='us ms s' ;;
        --cost-unit) values='us ms s' ;;
        --rtt-zero) values='missing value' ;;
        --rtt-by) values='' ;;
        --rtt-stat) values='p50 p95 p99 max' ;;
        --max-age) values='' ;;
        --now) values='' ;;
        --profile) values='@profiles @files' ;;
        --compat) values='1.20 1.36' ;;
        --plugin) values='@files' ;;
        --seed) values='' ;;
        -o | --output) values='text json yaml' ;;
        --kubeconfig) values='@files' ;;
        --context) values='' ;;
        --as) values='' ;;
        --as-group) values='' ;;
        --request-timeout) values='' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'matrix complete')
      flags='--rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --cluster -o --output --seed --kubeconfig --context --as --as-group --no-exec-credentials --insecure-skip-tls-verify --request-timeout --threads --max-input --color -q --quiet -v --v -h --help'
      valued='--rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --cluster -o --output --seed --kubeconfig --context --as --as-group --request-timeout --threads --max-input --color -v --v'
      operands=('@files')
      rest='@files'
      case $prev in
        --rtt) values='@files' ;;
        --rtt-names) values='@files' ;;
        --rtt-unit) values='us ms s' ;;
        --cost-unit) values='us ms s' ;;
        --rtt-zero) values='missing value' ;;
        --rtt-by) values='' ;;
        --rtt-stat) values='p50 p95 p99 max' ;;
        --max-age) values='' ;;
        --now) values='' ;;
        --cluster) values='@files' ;;
        -o | --output) values='json yaml edges' ;;
        --seed) values='' ;;
        --kubeconfig) values='@files' ;;
        --context) values='' ;;
        --as) values='' ;;
        --as-group) values='' ;;
        --request-timeout) values='' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'matrix show')
      flags='--rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --cluster -o --output --no-headers --kubeconfig --context --as --as-group --no-exec-credentials --insecure-skip-tls-verify --request-timeout --threads --max-input --color -q --quiet -v --v -h --help'
      valued='--rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --cluster -o --output --kubeconfig --context --as --as-group --request-timeout --threads --max-input --color -v --v'
      operands=('@files')
      rest='@files'
      case $prev in
        --rtt) values='@files' ;;
        --rtt-names) values='@files' ;;
        --rtt-unit) values='us ms s' ;;
        --cost-unit) values='us ms s' ;;
        --rtt-zero) values='missing value' ;;
        --rtt-by) values='' ;;
        --rtt-stat) values='p50 p95 p99 max' ;;
        --max-age) values='' ;;
        --now) values='' ;;
        --cluster) values='@files' ;;
        -o | --output) values='auto table map svg png json yaml' ;;
        --kubeconfig) values='@files' ;;
        --context) values='' ;;
        --as) values='' ;;
        --as-group) values='' ;;
        --request-timeout) values='' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'matrix convert')
      flags='--rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --cluster -o --output --names-out --kubeconfig --context --as --as-group --no-exec-credentials --insecure-skip-tls-verify --request-timeout --threads --max-input --color -q --quiet -v --v -h --help'
      valued='--rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --cluster -o --output --names-out --kubeconfig --context --as --as-group --request-timeout --threads --max-input --color -v --v'
      operands=('@files')
      rest='@files'
      case $prev in
        --rtt) values='@files' ;;
        --rtt-names) values='@files' ;;
        --rtt-unit) values='us ms s' ;;
        --cost-unit) values='us ms s' ;;
        --rtt-zero) values='missing value' ;;
        --rtt-by) values='' ;;
        --rtt-stat) values='p50 p95 p99 max' ;;
        --max-age) values='' ;;
        --now) values='' ;;
        --cluster) values='@files' ;;
        -o | --output) values='json yaml csv edges plain diktyo' ;;
        --names-out) values='@files' ;;
        --kubeconfig) values='@files' ;;
        --context) values='' ;;
        --as) values='' ;;
        --as-group) values='' ;;
        --request-timeout) values='' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'matrix diff')
      flags='--rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --cluster -o --output --no-headers --sort-by --noise --kubeconfig --context --as --as-group --no-exec-credentials --insecure-skip-tls-verify --request-timeout --threads --max-input --color -q --quiet -v --v -h --help'
      valued='--rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --cluster -o --output --sort-by --kubeconfig --context --as --as-group --request-timeout --threads --max-input --color -v --v'
      operands=('@files' '@files')
      case $prev in
        --rtt-names) values='@files' ;;
        --rtt-unit) values='us ms s' ;;
        --cost-unit) values='us ms s' ;;
        --rtt-zero) values='missing value' ;;
        --rtt-by) values='' ;;
        --rtt-stat) values='p50 p95 p99 max' ;;
        --max-age) values='' ;;
        --now) values='' ;;
        --cluster) values='@files' ;;
        -o | --output) values='table json yaml' ;;
        --sort-by) values='' ;;
        --kubeconfig) values='@files' ;;
        --context) values='' ;;
        --as) values='' ;;
        --as-group) values='' ;;
        --request-timeout) values='' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'matrix check')
      flags='--rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --cluster --only --tolerance --at-least -o --output --no-headers --sort-by --kubeconfig --context --as --as-group --no-exec-credentials --insecure-skip-tls-verify --request-timeout --threads --max-input --color -q --quiet -v --v -h --help'
      valued='--rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --cluster --only --tolerance --at-least -o --output --sort-by --kubeconfig --context --as --as-group --request-timeout --threads --max-input --color -v --v'
      operands=('@files')
      rest='@files'
      case $prev in
        --rtt) values='@files' ;;
        --rtt-names) values='@files' ;;
        --rtt-unit) values='us ms s' ;;
        --cost-unit) values='us ms s' ;;
        --rtt-zero) values='missing value' ;;
        --rtt-by) values='' ;;
        --rtt-stat) values='p50 p95 p99 max' ;;
        --max-age) values='' ;;
        --now) values='' ;;
        --cluster) values='@files' ;;
        --only) values='gap one-way asymmetric triangle stale suspicious' ;;
        --tolerance) values='' ;;
        --at-least) values='' ;;
        -o | --output) values='table json yaml' ;;
        --sort-by) values='' ;;
        --kubeconfig) values='@files' ;;
        --context) values='' ;;
        --as) values='' ;;
        --as-group) values='' ;;
        --request-timeout) values='' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'measure')
      flags='--targets --from --cluster --agents --import --rtt-zero --token-file --ca-file --insecure-skip-tls-verify --request-timeout --method --port --family -c --count -i --interval -W --timeout -s --size --rate -o --output --no-headers --sort-by -w --watch --publish --kubeconfig --context --as --as-group --no-exec-credentials --threads --max-input --color -q --quiet -v --v -h --help'
      valued='--targets --from --cluster --agents --import --rtt-zero --token-file --ca-file --request-timeout --method --port --family -c --count -i --interval -W --timeout -s --size --rate -o --output --sort-by --kubeconfig --context --as --as-group --threads --max-input --color -v --v'
      operands=('@nodes')
      rest='@nodes'
      case $prev in
        --targets) values='@files' ;;
        --from) values='' ;;
        --cluster) values='@files' ;;
        --agents) values='@files' ;;
        --import) values='goldpinger ping any' ;;
        --rtt-zero) values='missing value' ;;
        --token-file) values='@files' ;;
        --ca-file) values='@files' ;;
        --request-timeout) values='' ;;
        --method) values='icmp tcp udp http https' ;;
        --port) values='' ;;
        --family) values='any 4 6' ;;
        -c | --count) values='' ;;
        -i | --interval) values='' ;;
        -W | --timeout) values='' ;;
        -s | --size) values='' ;;
        --rate) values='' ;;
        -o | --output) values='table wide json yaml edges csv' ;;
        --sort-by) values='' ;;
        --kubeconfig) values='@files' ;;
        --context) values='' ;;
        --as) values='' ;;
        --as-group) values='' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'matrix cluster')
      flags='--rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --cluster --within --layers -o --output --no-headers --sort-by --kubeconfig --context --as --as-group --no-exec-credentials --insecure-skip-tls-verify --request-timeout --threads --max-input --color -q --quiet -v --v -h --help'
      valued='--rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --cluster --within -o --output --sort-by --kubeconfig --context --as --as-group --request-timeout --threads --max-input --color -v --v'
      operands=('@files')
      rest='@files'
      case $prev in
        --rtt) values='@files' ;;
        --rtt-names) values='@files' ;;
        --rtt-unit) values='us ms s' ;;
        --cost-unit) values='us ms s' ;;
        --rtt-zero) values='missing value' ;;
        --rtt-by) values='' ;;
        --rtt-stat) values='p50 p95 p99 max' ;;
        --max-age) values='' ;;
        --now) values='' ;;
        --cluster) values='@files' ;;
        --within) values='' ;;
        -o | --output) values='table json yaml' ;;
        --sort-by) values='' ;;
        --kubeconfig) values='@files' ;;
        --context) values='' ;;
        --as) values='' ;;
        --as-group) values='' ;;
        --request-timeout) values='' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'matrix centers')
      flags='--rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --cluster -k --count --goal -o --output --no-headers --sort-by --kubeconfig --context --as --as-group --no-exec-credentials --insecure-skip-tls-verify --request-timeout --threads --max-input --color -q --quiet -v --v -h --help'
      valued='--rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --cluster -k --count --goal -o --output --sort-by --kubeconfig --context --as --as-group --request-timeout --threads --max-input --color -v --v'
      operands=('@files')
      rest='@files'
      case $prev in
        --rtt) values='@files' ;;
        --rtt-names) values='@files' ;;
        --rtt-unit) values='us ms s' ;;
        --cost-unit) values='us ms s' ;;
        --rtt-zero) values='missing value' ;;
        --rtt-by) values='' ;;
        --rtt-stat) values='p50 p95 p99 max' ;;
        --max-age) values='' ;;
        --now) values='' ;;
        --cluster) values='@files' ;;
        -k | --count) values='' ;;
        --goal) values='radius mean' ;;
        -o | --output) values='table json yaml name' ;;
        --sort-by) values='' ;;
        --kubeconfig) values='@files' ;;
        --context) values='' ;;
        --as) values='' ;;
        --as-group) values='' ;;
        --request-timeout) values='' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'agent')
      flags='--peers --clusters --node --address --listen --tls-cert --tls-key --token-file --client-ca --client-name --insecure --method --port --period --count -W --timeout --max-age --bandwidth --ca-file --insecure-skip-tls-verify --log-level --color -q --quiet -v --v -h --help'
      valued='--peers --clusters --node --address --listen --tls-cert --tls-key --token-file --client-ca --client-name --method --port --period --count -W --timeout --max-age --bandwidth --ca-file --log-level --color -v --v'
      case $prev in
        --peers) values='@files' ;;
        --clusters) values='@files' ;;
        --node) values='' ;;
        --address) values='' ;;
        --listen) values='' ;;
        --tls-cert) values='@files' ;;
        --tls-key) values='@files' ;;
        --token-file) values='@files' ;;
        --client-ca) values='@files' ;;
        --client-name) values='' ;;
        --method) values='icmp tcp udp http https' ;;
        --port) values='' ;;
        --period) values='' ;;
        --count) values='' ;;
        -W | --timeout) values='' ;;
        --max-age) values='' ;;
        --bandwidth) values='' ;;
        --ca-file) values='@files' ;;
        --log-level) values='info warn error' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'schedule')
      flags='-w --watch --dry-run --scheduler-name --events --max-binds --listen --cluster -f --filename -R --recursive --churn --leader-elect --lease --tls-cert --tls-key --token-file --client-ca --client-name --insecure --kubeconfig --context --as --as-group --no-exec-credentials --insecure-skip-tls-verify --rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --profile --compat --plugin --seed --threads --max-input --log-level --color -q --quiet -v --v -h --help'
      valued='--scheduler-name --events --max-binds --listen --cluster -f --filename --churn --lease --tls-cert --tls-key --token-file --client-ca --client-name --kubeconfig --context --as --as-group --rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --profile --compat --plugin --seed --threads --max-input --log-level --color -v --v'
      case $prev in
        --scheduler-name) values='' ;;
        --events) values='all failures none' ;;
        --max-binds) values='' ;;
        --listen) values='' ;;
        --cluster) values='@files' ;;
        -f | --filename) values='@files' ;;
        --churn) values='' ;;
        --lease) values='' ;;
        --tls-cert) values='@files' ;;
        --tls-key) values='@files' ;;
        --token-file) values='@files' ;;
        --client-ca) values='@files' ;;
        --client-name) values='' ;;
        --kubeconfig) values='@files' ;;
        --context) values='' ;;
        --as) values='' ;;
        --as-group) values='' ;;
        --rtt) values='@files' ;;
        --rtt-names) values='@files' ;;
        --rtt-unit) values='us ms s' ;;
        --cost-unit) values='us ms s' ;;
        --rtt-zero) values='missing value' ;;
        --rtt-by) values='' ;;
        --rtt-stat) values='p50 p95 p99 max' ;;
        --max-age) values='' ;;
        --now) values='' ;;
        --profile) values='@profiles @files' ;;
        --compat) values='1.20 1.36' ;;
        --plugin) values='@files' ;;
        --seed) values='' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --log-level) values='info warn error' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'apply')
      flags='--dry-run --server-dry-run --scheduler-name --max-binds --within --cluster --rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --kubeconfig --context --as --as-group --no-exec-credentials --insecure-skip-tls-verify --request-timeout --no-headers --threads --max-input --color -q --quiet -v --v -h --help'
      valued='--scheduler-name --max-binds --within --cluster --rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --kubeconfig --context --as --as-group --request-timeout --threads --max-input --color -v --v'
      operands=('@files')
      case $prev in
        --scheduler-name) values='' ;;
        --max-binds) values='' ;;
        --within) values='' ;;
        --cluster) values='' ;;
        --rtt) values='@files' ;;
        --rtt-names) values='@files' ;;
        --rtt-unit) values='us ms s' ;;
        --cost-unit) values='us ms s' ;;
        --rtt-zero) values='missing value' ;;
        --rtt-by) values='' ;;
        --rtt-stat) values='p50 p95 p99 max' ;;
        --max-age) values='' ;;
        --now) values='' ;;
        --kubeconfig) values='@files' ;;
        --context) values='' ;;
        --as) values='' ;;
        --as-group) values='' ;;
        --request-timeout) values='' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'extender')
      flags='--listen --bind --max-body --cluster --rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --kubeconfig --context --as --as-group --no-exec-credentials --insecure-skip-tls-verify --profile --compat --plugin --seed --threads --max-input --log-level --color -q --quiet -v --v -h --help'
      valued='--listen --max-body --cluster --rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --kubeconfig --context --as --as-group --profile --compat --plugin --seed --threads --max-input --log-level --color -v --v'
      case $prev in
        --listen) values='' ;;
        --max-body) values='' ;;
        --cluster) values='@files' ;;
        --rtt) values='@files' ;;
        --rtt-names) values='@files' ;;
        --rtt-unit) values='us ms s' ;;
        --cost-unit) values='us ms s' ;;
        --rtt-zero) values='missing value' ;;
        --rtt-by) values='' ;;
        --rtt-stat) values='p50 p95 p99 max' ;;
        --max-age) values='' ;;
        --now) values='' ;;
        --kubeconfig) values='@files' ;;
        --context) values='' ;;
        --as) values='' ;;
        --as-group) values='' ;;
        --profile) values='@profiles @files' ;;
        --compat) values='1.20 1.36' ;;
        --plugin) values='@files' ;;
        --seed) values='' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --log-level) values='info warn error' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'manifests')
      flags='--mode --bind --own-hpa --prometheus --scheduler-name --rights-only --monitors --flow-schema --unit -n --namespace --image -o --output --color -q --quiet -v --v -h --help'
      valued='--mode --prometheus --scheduler-name --flow-schema -n --namespace --image -o --output --color -v --v'
      case $prev in
        --mode) values='scheduler preemption volumes repair extender prober hint publish reader autoscaler custom-metrics sites growth' ;;
        --prometheus) values='' ;;
        --scheduler-name) values='' ;;
        --flow-schema) values='v1beta1 v1beta2 v1beta3 v1' ;;
        -n | --namespace) values='' ;;
        --image) values='' ;;
        -o | --output) values='json yaml' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'hint')
      flags='--from --write -f --filename -R --recursive -n --namespace --cluster --rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --kubeconfig --context --as --as-group --no-exec-credentials --insecure-skip-tls-verify --request-timeout --compat -o --output --threads --max-input --color -q --quiet -v --v -h --help'
      valued='--from -f --filename -n --namespace --cluster --rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --kubeconfig --context --as --as-group --request-timeout --compat -o --output --threads --max-input --color -v --v'
      case $prev in
        --from) values='@nodes' ;;
        -f | --filename) values='@files' ;;
        -n | --namespace) values='' ;;
        --cluster) values='@files' ;;
        --rtt) values='@files' ;;
        --rtt-names) values='@files' ;;
        --rtt-unit) values='us ms s' ;;
        --cost-unit) values='us ms s' ;;
        --rtt-zero) values='missing value' ;;
        --rtt-by) values='' ;;
        --rtt-stat) values='p50 p95 p99 max' ;;
        --max-age) values='' ;;
        --now) values='' ;;
        --kubeconfig) values='@files' ;;
        --context) values='' ;;
        --as) values='' ;;
        --as-group) values='' ;;
        --request-timeout) values='' ;;
        --compat) values='1.20 1.36' ;;
        -o | --output) values='json yaml' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'scale explain')
      flags='-f --filename --metrics --cluster -R --recursive --prometheus --prometheus-token --prometheus-ca -n --namespace --max-age --now --compat --tolerance --downscale-stabilization --cpu-initialization-period --initial-readiness-delay --kubeconfig --context --as --as-group --no-exec-credentials --insecure-skip-tls-verify --request-timeout -o --output --no-headers --threads --max-input --color -q --quiet -v --v -h --help'
      valued='-f --filename --metrics --cluster --prometheus --prometheus-token --prometheus-ca -n --namespace --max-age --now --compat --tolerance --downscale-stabilization --cpu-initialization-period --initial-readiness-delay --kubeconfig --context --as --as-group --request-timeout -o --output --threads --max-input --color -v --v'
      operands=('@autoscalers')
      case $prev in
        -f | --filename) values='@files' ;;
        --metrics) values='@files' ;;
        --cluster) values='' ;;
        --prometheus) values='' ;;
        --prometheus-token) values='@files' ;;
        --prometheus-ca) values='@files' ;;
        -n | --namespace) values='' ;;
        --max-age) values='' ;;
        --now) values='' ;;
        --compat) values='1.20 1.36' ;;
        --tolerance) values='' ;;
        --downscale-stabilization) values='' ;;
        --cpu-initialization-period) values='' ;;
        --initial-readiness-delay) values='' ;;
        --kubeconfig) values='@files' ;;
        --context) values='' ;;
        --as) values='' ;;
        --as-group) values='' ;;
        --request-timeout) values='' ;;
        -o | --output) values='table json yaml' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'scale recommend')
      flags='-f --filename --metrics --cluster -R --recursive --kind -n --namespace --max-age --now --apply --through --min-hours --kubeconfig --context --as --as-group --no-exec-credentials --insecure-skip-tls-verify --request-timeout -o --output --no-headers --threads --max-input --color -q --quiet -v --v -h --help'
      valued='-f --filename --metrics --cluster --kind -n --namespace --max-age --now --through --min-hours --kubeconfig --context --as --as-group --request-timeout -o --output --threads --max-input --color -v --v'
      operands=('@workloads')
      case $prev in
        -f | --filename) values='@files' ;;
        --metrics) values='@files' ;;
        --cluster) values='' ;;
        --kind) values='Deployment StatefulSet ReplicaSet ReplicationController' ;;
        -n | --namespace) values='' ;;
        --max-age) values='' ;;
        --now) values='' ;;
        --through) values='pods template' ;;
        --min-hours) values='' ;;
        --kubeconfig) values='@files' ;;
        --context) values='' ;;
        --as) values='' ;;
        --as-group) values='' ;;
        --request-timeout) values='' ;;
        -o | --output) values='table json yaml' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'scale simulate')
      flags='--metrics --spec --profile --startup --replicas --request -f --filename -R --recursive --cluster --rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --compat --tolerance --downscale-stabilization --cpu-initialization-period --initial-readiness-delay --every -o --output --no-headers --kubeconfig --context --as --as-group --no-exec-credentials --insecure-skip-tls-verify --request-timeout --threads --max-input --color -q --quiet -v --v -h --help'
      valued='--metrics --spec --profile --startup --replicas --request -f --filename --cluster --rtt --rtt-names --rtt-unit --cost-unit --rtt-zero --rtt-by --rtt-stat --max-age --now --compat --tolerance --downscale-stabilization --cpu-initialization-period --initial-readiness-delay --every -o --output --kubeconfig --context --as --as-group --request-timeout --threads --max-input --color -v --v'
      case $prev in
        --metrics) values='@files' ;;
        --spec) values='@files' ;;
        --profile) values='hpa gs-engine' ;;
        --startup) values='' ;;
        --replicas) values='' ;;
        --request) values='' ;;
        -f | --filename) values='@files' ;;
        --cluster) values='@files' ;;
        --rtt) values='@files' ;;
        --rtt-names) values='@files' ;;
        --rtt-unit) values='us ms s' ;;
        --cost-unit) values='us ms s' ;;
        --rtt-zero) values='missing value' ;;
        --rtt-by) values='' ;;
        --rtt-stat) values='p50 p95 p99 max' ;;
        --max-age) values='' ;;
        --now) values='' ;;
        --compat) values='1.20 1.36' ;;
        --tolerance) values='' ;;
        --downscale-stabilization) values='' ;;
        --cpu-initialization-period) values='' ;;
        --initial-readiness-delay) values='' ;;
        --every) values='' ;;
        -o | --output) values='table wide svg png json yaml' ;;
        --kubeconfig) values='@files' ;;
        --context) values='' ;;
        --as) values='' ;;
        --as-group) values='' ;;
        --request-timeout) values='' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'scale run')
      flags='-f --filename -R --recursive --own-hpa -n --namespace --dry-run --once --sync-period --react --max-age --prometheus --prometheus-token --prometheus-ca --listen --leader-elect --lease --rtt --rtt-by --compat --tolerance --downscale-stabilization --cpu-initialization-period --initial-readiness-delay --tls-cert --tls-key --token-file --client-ca --client-name --insecure --kubeconfig --context --as --as-group --no-exec-credentials --insecure-skip-tls-verify --threads --max-input --log-level --color -q --quiet -v --v -h --help'
      valued='-f --filename -n --namespace --sync-period --react --max-age --prometheus --prometheus-token --prometheus-ca --listen --lease --rtt --rtt-by --compat --tolerance --downscale-stabilization --cpu-initialization-period --initial-readiness-delay --tls-cert --tls-key --token-file --client-ca --client-name --kubeconfig --context --as --as-group --threads --max-input --log-level --color -v --v'
      case $prev in
        -f | --filename) values='@files' ;;
        -n | --namespace) values='' ;;
        --sync-period) values='' ;;
        --react) values='' ;;
        --max-age) values='' ;;
        --prometheus) values='' ;;
        --prometheus-token) values='@files' ;;
        --prometheus-ca) values='@files' ;;
        --listen) values='' ;;
        --lease) values='' ;;
        --rtt) values='@files' ;;
        --rtt-by) values='' ;;
        --compat) values='1.20 1.36' ;;
        --tolerance) values='' ;;
        --downscale-stabilization) values='' ;;
        --cpu-initialization-period) values='' ;;
        --initial-readiness-delay) values='' ;;
        --tls-cert) values='@files' ;;
        --tls-key) values='@files' ;;
        --token-file) values='@files' ;;
        --client-ca) values='@files' ;;
        --client-name) values='' ;;
        --kubeconfig) values='@files' ;;
        --context) values='' ;;
        --as) values='' ;;
        --as-group) values='' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --log-level) values='info warn error' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'pin show')
      flags='--machine --state-dir -o --output --no-headers --color -q --quiet -v --v -h --help'
      valued='--machine --state-dir -o --output --color -v --v'
      case $prev in
        --machine) values='@files' ;;
        --state-dir) values='@files' ;;
        -o | --output) values='table svg json yaml' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'pin plan')
      flags='-f --filename -R --recursive -n --namespace --machine --kubelet-config --state --reserved --memory-state --device --compat -o --output --no-headers --sort-by --threads --max-input --color -q --quiet -v --v -h --help'
      valued='-f --filename -n --namespace --machine --kubelet-config --state --reserved --memory-state --device --compat -o --output --sort-by --threads --max-input --color -v --v'
      case $prev in
        -f | --filename) values='@files' ;;
        -n | --namespace) values='' ;;
        --machine) values='@files' ;;
        --kubelet-config) values='@files' ;;
        --state) values='@files' ;;
        --reserved) values='' ;;
        --memory-state) values='@files' ;;
        --device) values='' ;;
        --compat) values='1.20 1.36' ;;
        -o | --output) values='table json yaml' ;;
        --sort-by) values='' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'pin run')
      flags='--cpus --policy --near --mode --memory --isolate --nice-others --state-dir --dry-run --do-no-harm --color -q --quiet -v --v -h --help'
      valued='--cpus --policy --near --mode --memory --nice-others --state-dir --color -v --v'
      case $prev in
        --cpus) values='' ;;
        --policy) values='full-pcpus-only distribute-cpus-across-numa align-by-socket distribute-cpus-across-cores prefer-align-cpus-by-uncorecache best-effort restricted single-numa-node' ;;
        --near) values='' ;;
        --mode) values='' ;;
        --memory) values='bind preferred interleave' ;;
        --nice-others) values='' ;;
        --state-dir) values='@files' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'pin apply')
      flags='--pid --cgroup --container --undo --cpus --policy --near --mode --memory --isolate --nice-others --state-dir --dry-run --color -q --quiet -v --v -h --help'
      valued='--pid --cgroup --container --cpus --policy --near --mode --memory --nice-others --state-dir --color -v --v'
      case $prev in
        --pid) values='' ;;
        --cgroup) values='@files' ;;
        --container) values='' ;;
        --cpus) values='' ;;
        --policy) values='full-pcpus-only distribute-cpus-across-numa align-by-socket distribute-cpus-across-cores prefer-align-cpus-by-uncorecache best-effort restricted single-numa-node' ;;
        --near) values='' ;;
        --mode) values='' ;;
        --memory) values='bind preferred' ;;
        --nice-others) values='' ;;
        --state-dir) values='@files' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'pin check')
      flags='--state-dir -o --output --no-headers --sort-by --color -q --quiet -v --v -h --help'
      valued='--state-dir -o --output --sort-by --color -v --v'
      case $prev in
        --state-dir) values='@files' ;;
        -o | --output) values='table json yaml' ;;
        --sort-by) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'pin compare')
      flags='--cpus --policy --near --memory --pairs --do-no-harm --state-dir -o --output --no-headers --color -q --quiet -v --v -h --help'
      valued='--cpus --policy --near --memory --pairs --state-dir -o --output --color -v --v'
      case $prev in
        --cpus) values='' ;;
        --policy) values='full-pcpus-only distribute-cpus-across-numa align-by-socket distribute-cpus-across-cores prefer-align-cpus-by-uncorecache best-effort restricted single-numa-node' ;;
        --near) values='' ;;
        --memory) values='bind preferred interleave' ;;
        --pairs) values='' ;;
        --state-dir) values='@files' ;;
        -o | --output) values='table json yaml' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'pin defrag')
      flags='--machine --kubelet-config --state --reserved --compat --state-dir -o --output --no-headers --threads --max-input --color -q --quiet -v --v -h --help'
      valued='--machine --kubelet-config --state --reserved --compat --state-dir -o --output --threads --max-input --color -v --v'
      case $prev in
        --machine) values='@files' ;;
        --kubelet-config) values='@files' ;;
        --state) values='@files' ;;
        --reserved) values='' ;;
        --compat) values='1.20 1.36' ;;
        --state-dir) values='@files' ;;
        -o | --output) values='table json yaml' ;;
        --threads) values='' ;;
        --max-input) values='' ;;
        --color) values='auto always never' ;;
        -v | --v) values='' ;;
      esac
      ;;
    'completion')
      flags='-h --help'
      operands=('bash zsh fish')
      ;;
    'version')
      flags='-o --output -h --help'
      valued='-o --output'
      case $prev in
        -o | --output) values='text json yaml' ;;
      esac
      ;;
    'help')
      flags='-h --help'
      operands=('@commands' '@subcommands')
      ;;
    'config')
      operands=('view')
      ;;
    'matrix')
      operands=('complete show convert diff check cluster centers')
      ;;
    'scale')
      operands=('explain recommend simulate run')
      ;;
    'pin')
      operands=('show plan run apply check compare defrag')
      ;;
  esac
}

_gedge() {
  local IFS=$' \t\n' cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  local command= flags= valued= values=none operands=() rest= i at=0
  COMPREPLY=()
  # --flag=value arrives as three words
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == -* ]] && continue
    command=${COMP_WORDS[i]}
    break
  done
  if [[ -z $command ]]; then
    COMPREPLY=($(compgen -W "$_gedge_commands --help --version" -- "$cur"))
    return
  fi
  if [[ " $_gedge_families " == *" $command "* ]] && ((i + 1 < COMP_CWORD)); then
    ((i++))
    command+=" ${COMP_WORDS[i]}"
  fi
  _gedge_describe "$command"
  if [[ $values != none ]]; then
    _gedge_offer "$values"
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  else
    for ((i++; i < COMP_CWORD; i++)); do
      if [[ ${COMP_WORDS[i]} != -* ]]; then
        ((at++))
      elif [[ " $valued " == *" ${COMP_WORDS[i]} "* ]]; then
        [[ ${COMP_WORDS[i + 1]:-} == = ]] && ((i++))
        ((i++))
      fi
    done
    _gedge_offer "${operands[at]:-$rest}"
  fi
}

complete -F _gedge gedge
_gedge_commands='plan explain why-not verify simulate policies config validate matrix measure agent schedule apply extender manifests hint scale pin completion version help'
_gedge_families='config matrix scale pin'
