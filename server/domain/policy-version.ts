/** Source of a policy version. */
export type PolicyOrigin =
	| { kind: "browser" | "api" | "cli" | "seed" }
	/** As the command line reports it: `git` information about the file. */
	| { kind: "git"; repository: string; commit: string; path: string };

/** A policy kept in git is read-only in the browser. */
export interface PolicyManagedBy {
	kind: "git";
	repository: string;
	path: string;
}
