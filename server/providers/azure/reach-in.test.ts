import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { AzureCalls } from "./client.ts";
import { azureSettingsSchema } from "./settings.ts";

const NET = "/subscriptions/11111111-1111-1111-1111-111111111111/resourceGroups/net/providers/Microsoft.Network";
const SUBNET = `${NET}/virtualNetworks/gpu/subnets/default`;
const GROUP = `${NET}/networkSecurityGroups/strict`;

/** The part of Azure's network API that is read: each address has a document or an error. */
let answers: Record<string, { status: number; body: unknown }>;
let server: Server;
beforeEach(async () => {
	server = createServer((request, response) => {
		const [path = "", query] = (request.url ?? "").split("?");
		const refused = request.headers.authorization !== "Bearer emulated" || query !== "api-version=2022-11-01";
		const { status, body } = answers[path] ?? { status: 404, body: { error: { code: "ResourceNotFound", message: path } } };
		response.writeHead(refused ? 400 : status, { "content-type": "application/json" }).end(JSON.stringify(body));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => server.close());

const look = () =>
	new AzureCalls(
		azureSettingsSchema.parse({
			...{ controlPlane: "c", subscriptionId: "11111111-1111-1111-1111-111111111111", resourceGroup: "g", regions: ["eastus"] },
			...{ endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, subnets: { eastus: SUBNET } },
		}),
	).reachIn("eastus");

const DENIAL = {
	...{ priority: 100, direction: "Inbound", access: "Deny", protocol: "*", sourceAddressPrefix: "*", destinationPortRange: "*" },
};

it("follows a subnet to its security group, and reads what that allows", async () => {
	answers = { [SUBNET]: { status: 200, body: { properties: {} } } };
	expect(await look()).toBe("yes");
	answers[SUBNET] = { status: 200, body: { properties: { networkSecurityGroup: { id: GROUP } } } };
	answers[GROUP] = { status: 200, body: { properties: { securityRules: [{ name: "no", properties: DENIAL }] } } };
	expect(await look()).toBe("no");
});

it("returns null without permission to look, and fails when Azure does", async () => {
	answers = { [SUBNET]: { status: 403, body: { error: { code: "AuthorizationFailed", message: "no" } } } };
	expect(await look()).toBeNull();
	answers = { [SUBNET]: { status: 500, body: { error: { code: "InternalServerError", message: "ill" } } } };
	await expect(look()).rejects.toMatchObject({ kind: "transient" });
});
