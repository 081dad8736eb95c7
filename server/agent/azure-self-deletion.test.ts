import { createServer, type Server } from "node:http";
import { afterEach, expect, it } from "vitest";
import { deleteOwnMachine } from "./azure-self-deletion.ts";

let server: Server | null = null;
afterEach(() => {
	server?.closeAllConnections();
	server?.close();
});

const RESOURCE_ID = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/ins-1";

/**
 * Emulates Azure as a machine sees it, with these statuses for the token and the deletion. Returns its address and what was
 * deleted.
 */
async function serve(statuses: { identity: number; deletion: number }) {
	const deleted: string[] = [];
	const listening = createServer((request, response) => {
		const { pathname } = new URL(request.url ?? "/", "http://x");
		if (request.method === "DELETE") {
			if (request.headers.authorization === "Bearer secret") deleted.push(request.url ?? "");
			response.writeHead(statuses.deletion).end("denied");
		} else if (pathname === "/metadata/instance/compute/resourceId") response.end(RESOURCE_ID);
		else response.writeHead(statuses.identity).end(JSON.stringify({ access_token: "secret" }));
	});
	server = listening;
	await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
	const address = listening.address();
	return { url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`, deleted };
}

it("deletes the machine it runs on, by force, with its identity's token", async () => {
	const { url, deleted } = await serve({ identity: 200, deletion: 202 });
	expect(await deleteOwnMachine(url)).toBe(true);
	expect(deleted).toEqual([`${RESOURCE_ID}?api-version=2026-04-01&forceDeletion=true`]);
});

it("leaves a machine without an identity alone", async () => {
	const { url, deleted } = await serve({ identity: 400, deletion: 202 });
	expect(await deleteOwnMachine(url)).toBe(false);
	expect(deleted).toEqual([]);
});

it("shows why Azure did not let it", async () => {
	const { url } = await serve({ identity: 200, deletion: 403 });
	await expect(deleteOwnMachine(url)).rejects.toThrow(/virtualMachines\/ins-1 returned 403: denied/);
});
