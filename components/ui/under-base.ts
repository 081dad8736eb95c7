/**
 * The path of a file or call below the base path of this installation. Next's links, router and redirects add it themselves.
 * next.config.ts puts the value in place of the variable.
 */
export function underBase(path: string): string {
	return `${process.env["SPILLWAY_BASE_PATH"] ?? ""}${path}`;
}
