import { z } from "zod";

const TIMEOUT_MS = 20_000;
/** The address of Azure's metadata service on a real machine, and of the API that deletes machines. */
const LINK_LOCAL = "http://169.254.169.254";
const RESOURCE_MANAGER = "https://management.azure.com";
const API_VERSION = "2026-04-01";

const identityToken = z.object({ access_token: z.string().min(1) });

/**
 * Asks Azure to delete this machine by its managed identity, because a machine that is only shut down is still billed. Returns
 * false if the machine has no identity.
 * @throws Error if Azure rejects the request or does not respond
 */
export async function deleteOwnMachine(metadataUrl: string): Promise<boolean> {
	const headers = { metadata: "true" };
	const about = await ask(`${metadataUrl}/metadata/instance/compute/resourceId?api-version=2021-02-01&format=text`, { headers });
	const resourceId = await about.text();
	const token = await identityTokenOf(metadataUrl);
	if (token === null) return false;
	// An emulated cloud serves both at one address.
	const manager = metadataUrl === LINK_LOCAL ? RESOURCE_MANAGER : new URL(metadataUrl).origin;
	const url = `${manager}${resourceId}?api-version=${API_VERSION}&forceDeletion=true`;
	await ask(url, { method: "DELETE", headers: { authorization: `Bearer ${token}` } });
	return true;
}

/**
 * Returns a token of the machine's managed identity, or null if it has none.
 * @throws Error if Azure does not respond
 */
export async function identityTokenOf(metadataUrl: string): Promise<string | null> {
	const resource = encodeURIComponent(`${RESOURCE_MANAGER}/`);
	const url = `${metadataUrl}/metadata/identity/oauth2/token?api-version=2018-02-01&resource=${resource}`;
	const answer = await ask(url, { headers: { metadata: "true" } }, [400]);
	return answer.status === 400 ? null : identityToken.parse(await answer.json()).access_token;
}

async function ask(url: string, init: RequestInit, expected: readonly number[] = []): Promise<Response> {
	const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
	if (answer.ok || expected.includes(answer.status)) return answer;
	throw new Error(`${new URL(url).pathname} returned ${answer.status}: ${(await answer.text()).slice(0, 300)}`);
}
