import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { VaultOptions } from "#server/domain/job-secret.ts";
import { SpillwayError } from "#server/kernel/errors.ts";

const TIMEOUT_MS = 5_000;
const answerSchema = z.object({ data: z.object({ data: z.record(z.string(), z.unknown()) }) });

/**
 * One value of a secret in a KV version 2 engine (GET /v1/:mount/data/:path).
 * @throws SpillwayError `unavailable` when it does not answer or is sealed; `precondition_failed` when it has no such value
 */
export async function readVault(
	options: VaultOptions | undefined,
	team: string,
	{ path, key }: { path: string; key: string },
): Promise<string> {
	if (options === undefined)
		throw new SpillwayError("precondition_failed", "This server is not connected to a Vault.", { fix: "Set SPILLWAY_VAULT." });
	const place = [options.mount, "data", options.path.replaceAll("{team}", team), path].join("/");
	const url = new URL(`v1/${place.split("/").map(encodeURIComponent).join("/")}`, withSlash(options.address));
	const answer = await ask(url, options);
	const what = `the secret ${place} of the Vault`;
	if (answer.status === 404) throw lacking(`${what} does not exist`, "Create it there, or correct the path.");
	if (answer.status === 403) throw lacking(`${what} may not be read with Spillway's token`, "Grant its policy read access to this path.");
	if (!answer.ok) throw unavailable(`${what} could not be read (HTTP ${answer.status})`);
	const parsed = answerSchema.safeParse(await answer.json().catch(() => null));
	if (!parsed.success) throw lacking(`${what} is not in a KV engine of version 2`, "Correct the mount in SPILLWAY_VAULT.");
	const value = parsed.data.data.data[key];
	if (typeof value !== "string") throw lacking(`${what} has no text under the key "${key}"`, "Correct the key.");
	return value;
}

async function ask(url: URL, { tokenFile, namespace }: VaultOptions): Promise<Response> {
	const token = await readFile(tokenFile, "utf8").catch(() => {
		throw unavailable(`the Vault token file ${tokenFile} could not be read`);
	});
	const headers = { "x-vault-token": token.trim(), ...(namespace !== undefined && { "x-vault-namespace": namespace }) };
	try {
		return await fetch(url, { headers, redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
	} catch {
		throw unavailable(`the Vault at ${url.host} did not answer`);
	}
}

function withSlash(address: string): string {
	return address.endsWith("/") ? address : `${address}/`;
}

function lacking(why: string, fix: string): SpillwayError {
	return new SpillwayError("precondition_failed", `Could not read a secret: ${why}.`, { fix });
}

function unavailable(why: string): SpillwayError {
	return new SpillwayError("unavailable", `Could not read a secret: ${why}.`, { fix: "Retry when the Vault is available." });
}
