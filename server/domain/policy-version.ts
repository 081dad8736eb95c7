/** Where a version of a policy came from. */
export type PolicyOrigin =
	| { kind: "browser" | "api" | "cli" | "seed" }
	/** As the command line reports it: what `git` says about the file. */
	| { kind: "git"; repository: string; commit: string; path: string };

/** A policy that is kept in git says so, and is read-only in the browser. */
export interface PolicyManagedBy {
	kind: "git";
	repository: string;
	path: string;
}
