/**
 * Kubernetes' substitution in commands and environment values: `$(NAME)` is replaced if NAME is known and kept otherwise; `$$` is
 * a `$`. Source: third_party/forked/golang/expansion of Kubernetes.
 */
export function expand(text: string, variables: Readonly<Record<string, string>>): string {
	return text.replaceAll(/\$(\$|\(([^()]*)\))/g, (whole, rest: string, name: string | undefined) => {
		if (rest === "$") return "$";
		return name !== undefined && Object.hasOwn(variables, name) ? (variables[name] ?? "") : whole;
	});
}
