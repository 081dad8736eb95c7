import { SpillwayError } from "#server/kernel/errors.ts";

/** An existing path, called with an unsupported method. */
export class MethodNotAllowedError extends SpillwayError {
	/** The value of the Allow header. */
	readonly allow: string;
	constructor(method: string, path: string, allow: string, fix: string) {
		super("method_not_allowed", `${method} is not allowed on ${path}. Allowed: ${allow}.`, { fix });
		this.allow = allow;
	}
}
