import { createServer, type Server } from "node:http";
import { afterEach, expect, it } from "vitest";
import { AzureMetadata } from "./azure-metadata.ts";
import { findMetadata } from "./find-metadata.ts";
import { GoogleMetadata } from "./google-metadata.ts";
import { Ec2Metadata } from "./metadata.ts";

let server: Server | null = null;
afterEach(() => {
	server?.closeAllConnections();
	server?.close();
});

/** Starts a metadata service with these documents. Returns its address. */
async function serve(documents: Record<string, unknown>): Promise<string> {
	const listening = createServer((request, response) => {
		const document = documents[(request.url ?? "").replace(/\?api-version=\d{4}-\d{2}-\d{2}$/, "")];
		const isAsked = request.headers["metadata"] === "true";
		response.writeHead(isAsked ? (document === undefined ? 404 : 200) : 400).end(JSON.stringify(document));
	});
	server = listening;
	await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
	const address = listening.address();
	return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
}

const COMPUTE = { name: "ins-1-001-0", resourceGroupName: "Spillway" };
const eventOf = (changes: object) => ({
	EventType: "Preempt",
	Resources: ["ins-1-001-0"],
	EventStatus: "Scheduled",
	NotBefore: "Mon, 19 Sep 2026 18:29:47 GMT",
	...changes,
});
const withEvents = (...events: object[]) =>
	serve({ "/metadata/instance/compute": COMPUTE, "/metadata/scheduledevents": { DocumentIncarnation: 1, Events: events } });

it("names the machine by group and name, as the control plane does", async () => {
	const metadata = new AzureMetadata(await serve({ "/metadata/instance/compute": COMPUTE }));
	expect(await metadata.instanceId()).toBe("spillway/ins-1-001-0");
});

it.each([
	["an eviction", [eventOf({})], Date.UTC(2026, 8, 19, 18, 29, 47)],
	["an announced deletion", [eventOf({ EventType: "Terminate" })], Date.UTC(2026, 8, 19, 18, 29, 47)],
	["an eviction in progress", [eventOf({ EventStatus: "Started", NotBefore: "" })], 5_000],
	["maintenance", [eventOf({ EventType: "Freeze" }), eventOf({ EventType: "Reboot" })], null],
	["another machine's eviction", [eventOf({ Resources: ["ins-2-001-0"] })], null],
	["nothing", [], null],
])("reads %s", async (_what, events, atMs) => {
	const metadata = new AzureMetadata(await withEvents(...events), () => 5_000);
	expect(await metadata.notice()).toEqual(atMs === null ? null : { atMs });
});

it("says which question was not answered", async () => {
	await expect(new AzureMetadata(await serve({})).instanceId()).rejects.toThrow(/returned 404 for \/metadata\/instance\/compute/);
});

const NONE = { ec2MetadataUrl: null, googleMetadataHost: null, azureMetadataUrl: null };
const AZURE_TAG = "7783-7084-3265-9085-8269-3286-77";

it.each([
	["a named address", { ...NONE, azureMetadataUrl: "http://127.0.0.1:1" }, "", "", AzureMetadata],
	["Azure's hardware", NONE, "Virtual Machine", AZURE_TAG, AzureMetadata],
	[
		"a named address of another cloud's, even on Azure's hardware",
		{ ...NONE, googleMetadataHost: "x" },
		"Virtual Machine",
		AZURE_TAG,
		GoogleMetadata,
	],
	["other hardware of Microsoft's", NONE, "Virtual Machine", "1234", Ec2Metadata],
])("is found by %s", (_what, settings, productName, assetTag, service) => {
	expect(findMetadata(settings, productName, assetTag)).toBeInstanceOf(service);
});
