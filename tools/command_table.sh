# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by ./run: reads apps/ricochet/command_table.txt. Expects $root.

# trim TEXT: without blanks at its ends.
trim() {
  local text=$1
  text=${text#"${text%%[![:space:]]*}"}
  printf '%s' "${text%"${text##*[![:space:]]}"}"
}

# read_command NAME ARGUMENT...: sets target to the command's program and packages to what it needs for these arguments.
# Fails where there is no such command.
read_command() {
  local wanted=$1 name program needs help clause patterns pattern argument
  shift
  while IFS='|' read -r name program needs help; do
    [[ $(trim "$name") == "$wanted" ]] || continue
    target=$(trim "$program")
    packages=()
    while read -r -d ';' clause; do
      patterns='*'
      [[ $clause == *:* ]] && patterns=${clause%%:*} clause=${clause#*:}
      local -a words=() asked=()
      read -r -a words <<<"$clause"
      read -r -a asked <<<"$patterns"
      for pattern in "${asked[@]}"; do
        for argument in "$@"; do
          # shellcheck disable=SC2053
          if [[ $argument == $pattern ]]; then packages+=("${words[@]}") && break 2; fi
        done
        # A command without arguments still needs what it always needs.
        if [[ $pattern == '*' && $# == 0 ]]; then packages+=("${words[@]}") && break; fi
      done
    done <<<"$needs;"
    return 0
  done < <(grep '^[a-z]' "$root/apps/ricochet/command_table.txt")
  return 1
}

# all_packages: every package that the table names, on one line.
all_packages() {
  local name program needs help word clause
  while IFS='|' read -r name program needs help; do
    while read -r -d ';' clause; do
      for word in ${clause#*:}; do printf '%s ' "$word"; done
    done <<<"$needs;"
  done < <(grep '^[a-z]' "$root/apps/ricochet/command_table.txt")
  printf '\n'
}
