import { createServer, type Server } from "node:http";
import { afterEach, expect, it } from "vitest";
import { findMetadata } from "./find-metadata.ts";
import { GoogleMetadata } from "./google-metadata.ts";
import { Ec2Metadata } from "./metadata.ts";

let server: Server | null = null;
afterEach(() => {
	server?.closeAllConnections();
	server?.close();
});

/** Starts a metadata server with these documents. Returns its host. */
async function serve(documents: Record<string, string>): Promise<string> {
	const listening = createServer((request, response) => {
		const document = documents[(request.url ?? "").replace("/computeMetadata/v1/instance/", "")];
		const isAsked = request.headers["metadata-flavor"] === "Google";
		response.writeHead(isAsked ? (document === undefined ? 404 : 200) : 403).end(document);
	});
	server = listening;
	await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
	const address = listening.address();
	return `127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
}

it("names the machine by zone and number, as the control plane does", async () => {
	const host = await serve({ zone: "projects/123/zones/us-central1-a", id: "4242424242424242424\n" });
	expect(await new GoogleMetadata(host).instanceId()).toBe("us-central1-a/4242424242424242424");
});

it("names a host of a TPU slice by its slice and worker number, and presents no identity document for it", async () => {
	const slice = { "attributes/spillway-slice": "us-east5-b/slices/spw-1-att-1/v6e-16", "attributes/agent-worker-number": "3" };
	const metadata = new GoogleMetadata(await serve({ ...slice, zone: "projects/123/zones/us-east5-b", id: "42" }));
	expect(await metadata.instanceId()).toBe("us-east5-b/slices/spw-1-att-1/v6e-16/3");
	expect(await metadata.identityDocument({ audience: "a", digits: "0123456789" })).toBeNull();
});

it("counts the seconds of a notice from when it was first seen", async () => {
	const documents = { preempted: "FALSE" };
	let nowMs = 1_000;
	const metadata = new GoogleMetadata(await serve(documents), () => nowMs);
	expect(await metadata.notice()).toBeNull();
	documents.preempted = "TRUE";
	expect(await metadata.notice()).toEqual({ atMs: 31_000 });
	nowMs = 9_000;
	expect(await metadata.notice()).toEqual({ atMs: 31_000 });
});

it("says which question was not answered", async () => {
	await expect(new GoogleMetadata(await serve({})).notice()).rejects.toThrow("the metadata server returned 404 for /instance/preempted");
});

const NONE = { ec2MetadataUrl: null, googleMetadataHost: null, azureMetadataUrl: null };

it.each([
	["a named host", { ...NONE, googleMetadataHost: "127.0.0.1:1" }, "", GoogleMetadata],
	["a named address, even on Google's hardware", { ...NONE, ec2MetadataUrl: "http://127.0.0.1:1" }, "Google Compute Engine", Ec2Metadata],
	["Google's hardware", NONE, "Google Compute Engine", GoogleMetadata],
	["other hardware", NONE, "m5.large", Ec2Metadata],
])("is found by %s", (_what, settings, productName, service) => {
	expect(findMetadata(settings, productName)).toBeInstanceOf(service);
});
