import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AzureMetadata } from "#server/agent/azure-metadata.ts";
import { identityChallenge } from "#server/agent/identity-document.ts";
import { EMULATED_SUBSCRIPTION } from "#server/emulators/azure/options.ts";
import { GROUP, machineOf, startTestEmulator } from "#server/emulators/azure/testing/fixture.ts";
import type { IdentityAs } from "#server/emulators/shared/faults.ts";
import { type Identity, newIdentity, signMessage } from "#server/emulators/shared/identity-authority.ts";
import { eventually } from "#server/emulators/shared/testing/eventually.ts";
import type { IdentityClaim, IdentityVerdict } from "../instance-identity.ts";
import { azureIdentity } from "./identity.ts";
import { azureVmSchema, observationOf } from "./mapper.ts";

const NOW_MS = Date.UTC(2026, 10, 22, 12);
const SUBSCRIPTION = "11111111-2222-4333-8444-555555555555";
const CHALLENGE = identityChallenge("https://spillway.example", "ins_01k_1_0", "n".repeat(32));
const DAY_MS = 86_400_000;
const DOCUMENT = {
	nonce: CHALLENGE.digits,
	timeStamp: { createdOn: "11/22/26 11:59:00 -0000", expiresOn: "11/22/26 18:00:00 -0000" },
	...{ vmId: "960a4b4a-dab2-44ef-9b73-7753043b4f16", subscriptionId: SUBSCRIPTION, sku: "Standard_ND96", plan: {}, licenseType: "" },
};
const subnet = `/subscriptions/${SUBSCRIPTION}/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/a/subnets/b`;
const place = { subscriptionId: SUBSCRIPTION, resourceGroup: "spillway", regions: ["eastus"], subnets: { eastus: subnet } };

let azure: Server;
let url: string;
let root: Identity;
let issuer: Identity;
let signer: Identity;
/** The same terms, but from an attacker's own root. */
let forged: Identity;

const nameOf = (more: object = {}) => ({
	...{ name: "metadata.azure.com", dnsNames: ["eastus.metadata.azure.com"], issuerUrl: `${url}/attested/issuer` },
	...{ notBeforeMs: NOW_MS - DAY_MS, lifeMs: 2 * DAY_MS, ...more },
});

beforeAll(async () => {
	azure = createServer((request, response) => {
		const found = { "/attested/root": root, "/attested/issuer": issuer }[request.url ?? ""];
		response.writeHead(found ? 200 : 404).end(found?.certificate);
	});
	await new Promise<void>((resolve) => azure.listen(0, "127.0.0.1", resolve));
	url = `http://127.0.0.1:${(azure.address() as AddressInfo).port}`;
	const authority = { isAuthority: true, notBeforeMs: NOW_MS - DAY_MS };
	root = await newIdentity({ name: "root", ...authority });
	issuer = await newIdentity({ name: "issuer", issuer: root, ...authority });
	signer = await newIdentity(nameOf({ issuer }));
	forged = await newIdentity({ ...nameOf(), isAuthority: true });
});
afterAll(() => azure.close());

const identity = azureIdentity(undefined);
const signed = (document: unknown = DOCUMENT, by = signer) => signMessage(JSON.stringify(document), by, { withCertificate: true });

function verify(pkcs7: string, changes: Partial<IdentityClaim> = {}, site: Record<string, unknown> = {}): Promise<IdentityVerdict> {
	return identity.verify(
		{ ...place, endpoint: url, ...site },
		{
			...{
				document: { kind: "azure", pkcs7 },
				challenge: CHALLENGE,
				instanceId: "ins_01k_1_0",
				providerInstanceId: "spillway/ins-01k-1-0",
			},
			...{ isKnown: true, signedId: DOCUMENT.vmId, region: "eastus", controlPlane: "spw-test", nowMs: NOW_MS },
			...changes,
		},
	);
}

const fault = async (verdict: Promise<IdentityVerdict>) => {
	const answer = await verdict;
	return answer.outcome === "refused" ? answer.fault : answer.outcome;
};

describe("an attested document of Azure's", () => {
	it("proves a machine of the site's subscription that was challenged now", async () => {
		expect(await verify(await signed())).toEqual({ outcome: "proved" });
	});

	it.each([
		["of another subscription", { subscriptionId: "99999999-2222-4333-8444-555555555555" }, "other_account"],
		["requested with another nonce", { nonce: "0000000000" }, "not_fresh"],
		["over", { timeStamp: { ...DOCUMENT.timeStamp, expiresOn: "11/22/26 11:54:00 -0000" } }, "expired"],
		["from the future", { timeStamp: { ...DOCUMENT.timeStamp, createdOn: "11/22/26 12:06:00 -0000" } }, "not_yet_valid"],
		["without readable times", { timeStamp: { createdOn: "now", expiresOn: "later" } }, "malformed"],
		["no machine's", { vmId: undefined }, "malformed"],
	])("is rejected when it is %s", async (_, change, wanted) => {
		expect(await fault(verify(await signed({ ...DOCUMENT, ...change })))).toBe(wanted);
	});

	it("is rejected for another machine of the subscription, and is unverifiable until Azure has reported the machine's id", async () => {
		const other = { ...DOCUMENT, vmId: "13f56399-bd52-4150-9748-7190aae1ff21" };
		expect(await verify(await signed(other))).toMatchObject({ fault: "other_instance", message: /13f56399.*960a4b4a/ });
		expect(await fault(verify(await signed(), { signedId: null }))).toBe("unverifiable");
		// For another subscription, the mismatch is certain even so.
		const foreign = { ...DOCUMENT, subscriptionId: "99999999-2222-4333-8444-555555555555" };
		expect(await fault(verify(await signed(foreign), { signedId: null }))).toBe("other_account");
		expect(await fault(verify(await signed(), { signedId: DOCUMENT.vmId.toUpperCase() }))).toBe("proved");
	});

	it("tolerates clocks that differ by less than five minutes", async () => {
		const late = { ...DOCUMENT, timeStamp: { createdOn: "11/22/26 12:04:00 -0000", expiresOn: "11/22/26 18:00:00 -0000" } };
		expect(await fault(verify(await signed(late)))).toBe("proved");
	});

	it("is rejected when its signer's chain ends at an untrusted root", async () => {
		expect(await verify(await signed(DOCUMENT, forged))).toMatchObject({ fault: "bad_signature", message: /untrusted root/ });
		const mine = await newIdentity(nameOf({ issuer: forged }));
		// Its issuer, as downloaded, did not issue it.
		expect(await verify(await signed(DOCUMENT, mine))).toMatchObject({ fault: "bad_signature", message: /not issued by the next/ });
	});

	it("is rejected when a valid chain ends in an expired certificate or one for another name", async () => {
		const other = await newIdentity(nameOf({ issuer, dnsNames: ["metadata.azure.com.thief.example"] }));
		expect(await verify(await signed(DOCUMENT, other))).toMatchObject({ fault: "bad_signature", message: /thief.example/ });
		const over = await newIdentity(nameOf({ issuer, lifeMs: DAY_MS / 2 }));
		expect(await fault(verify(await signed(DOCUMENT, over)))).toBe("bad_signature");
	});

	it("is rejected when the signer's certificate was signed by one that may not sign", async () => {
		const mine = await newIdentity(nameOf({ issuer: signer }));
		expect(await fault(verify(await signed(DOCUMENT, mine)))).toBe("bad_signature");
	});

	it("is rejected when any part of it was changed, or it is not a document", async () => {
		const der = Buffer.from((await signed({ ...DOCUMENT, nonce: "0000000000" })).replace(/\s/g, ""), "base64");
		der.write(CHALLENGE.digits, der.indexOf("0000000000"));
		expect(await fault(verify(der.toString("base64")))).toBe("bad_signature");
		expect(await fault(verify("AAAA"))).toBe("malformed");
		expect(await fault(verify("AAAA", { document: { kind: "aws", pkcs7: "AAAA" } }))).toBe("malformed");
	});

	it("downloads issuers only from Microsoft's addresses: a certificate with another address is unverifiable", async () => {
		const verdict = await verify(await signed(), {}, { endpoint: undefined });
		expect(verdict).toMatchObject({ outcome: "unverifiable", message: /127\.0\.0\.1:\d+, which is not an allowed host/ });
	});

	it("cannot be checked while the roots are unavailable", async () => {
		expect(await fault(verify(await signed(), {}, { endpoint: "http://127.0.0.1:9" }))).toBe("unverifiable");
	});
});

it("is served by the emulated metadata service, and accepted with the emulated endpoint's roots unless the script corrupts it", async () => {
	const emulator = await startTestEmulator();
	try {
		const script = '#!/bin/sh\necho "$AZURE_POD_IDENTITY_AUTHORITY_HOST" > endpoint\nsleep 60\n';
		await emulator.client().virtualMachines.createOrUpdate(GROUP, "one", machineOf({}, script));
		const { readFileSync } = await import("node:fs");
		const metadata = await eventually("the guest's endpoint", () => {
			const folder = emulator.instances()[0]?.folder ?? "";
			try {
				return readFileSync(`${folder}/endpoint`, "utf8").trim() || null;
			} catch {
				return null;
			}
		});
		const ask = () => new AzureMetadata(metadata).identityDocument(CHALLENGE);
		const document = await ask();
		const site = { endpoint: emulator.url, subscriptionId: EMULATED_SUBSCRIPTION };
		const shown = await emulator.client().virtualMachines.get(GROUP, "one");
		const { signedId = null } = observationOf(azureVmSchema.parse(shown));
		const changes = { document, signedId, nowMs: Date.now() };
		expect(await verify("", changes, site)).toEqual({ outcome: "proved" });
		const spoil = (as: IdentityAs) => emulator.faults.add({ action: "metadata", behaviour: { kind: "identity", as } });
		for (const [as, wanted] of [
			["malformed", "malformed"],
			["expired", "expired"],
			["other_machine", "other_instance"],
		] as const) {
			spoil(as);
			expect([as, await fault(verify("", { ...changes, document: await ask() }, site))]).toEqual([as, wanted]);
		}
		spoil("absent");
		await expect(ask()).rejects.toThrow(/returned 404/);
		emulator.faults.add({ action: "metadata", behaviour: { kind: "no_metadata" }, times: 1 });
		await expect(ask()).rejects.toThrow(/returned 503/);
		expect(await fault(verify("", { ...changes, document: await ask() }, site))).toBe("proved");
		expect(await fault(verify("", changes, { ...site, subscriptionId: SUBSCRIPTION }))).toBe("other_account");
	} finally {
		await emulator.dispose();
	}
});
