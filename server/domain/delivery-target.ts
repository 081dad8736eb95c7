import { dataAddressOf } from "./data-address.ts";

const HOME = "home:";
/** File systems allow 255 bytes, and a delivery in progress appends the id of the result. */
const MOST_NAME_BYTES = 200;

/** The path below the delivery folder of `home:/models/fraud`; null for any other target. */
export function homeFolderOf(target: string): string | null {
	return target.startsWith(HOME) ? target.slice(HOME.length).replace(/^\/+|\/+$/g, "") : null;
}

/** Why results cannot be delivered to a target, or null. */
export function deliveryProblem(target: string): string | null {
	const folder = homeFolderOf(target);
	if (folder !== null) {
		const parts = folder.split("/");
		if (parts.some((part) => new TextEncoder().encode(part).length > MOST_NAME_BYTES))
			return `must have names of at most ${MOST_NAME_BYTES} bytes`;
		return parts.some((part) => ["", ".", ".."].includes(part)) ? "must name a folder, for example home:/models/fraud" : null;
	}
	if (!/^[a-z][a-z0-9+.-]*:/.test(target)) return "must begin with home: or the scheme of a store, for example s3://bucket/path";
	try {
		const { kind } = dataAddressOf(target);
		return kind === "file" || kind === "http"
			? `cannot be delivered to ${kind === "file" ? "file:" : "a web page"}; use home:/folder or a store`
			: null;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}
