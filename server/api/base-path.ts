import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import path from "node:path";

/** Takes the base path off a request's address. A proxy may have done so, and probes ask the server itself. */
export function takeBaseOff(req: IncomingMessage, base: string): void {
	const { url = "/" } = req;
	if (base === "" || !url.startsWith(base)) return;
	const rest = url.slice(base.length);
	if (/^($|[/?])/.test(rest)) req.url = rest.startsWith("/") ? rest : `/${rest}`;
}

/** Next expects the base path in front of each address, and redirects from a slash at the end. */
export function putBaseBack(req: IncomingMessage, base: string): IncomingMessage {
	const { url = "/" } = req;
	if (base !== "") req.url = `${base}${url.replace(/^\/(?=$|\?)/, "")}`;
	return req;
}

/**
 * @param root folder of the build
 * @throws Error when the pages were built for another base path
 */
export function requireBuiltFor(base: string, root: string): void {
	const { basePath } = JSON.parse(readFileSync(path.join(root, ".next/routes-manifest.json"), "utf8")) as { basePath: string };
	if (basePath === base) return;
	const built = basePath === "" ? "without a path" : `for the path ${basePath}`;
	throw new Error(
		`The pages were built ${built}, and the path of SPILLWAY_URL is "${base || "/"}". Build them with this SPILLWAY_URL in the environment: npm run build, or for an image --build-arg SPILLWAY_URL.`,
	);
}
