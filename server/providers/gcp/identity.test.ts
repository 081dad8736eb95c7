import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { identityChallenge } from "#server/agent/identity-document.ts";
import { IdentitySigner } from "#server/emulators/gcp/identity-signer.ts";
import type { IdentityClaim, IdentityVerdict } from "../instance-identity.ts";
import { gcpIdentity } from "./identity.ts";
import { machineName } from "./names.ts";

const NOW_MS = Date.UTC(2026, 10, 22, 12);
const INSTANCE = "ins_01k_1_0";
const ZONE = "us-central1-a";
const NUMBER = "4520031799277581759";
const CHALLENGE = identityChallenge("https://spillway.example/", INSTANCE, "n".repeat(32));
const MACHINE = {
	...{ project_id: "acme-bursts-417", zone: ZONE, instance_id: NUMBER },
	instance_name: machineName("spw-test", INSTANCE),
};

let folder: string;
let signer: IdentitySigner;
let google: Server;
let settings: Record<string, unknown>;
const identity = gcpIdentity(undefined);

beforeAll(async () => {
	folder = mkdtempSync(path.join(tmpdir(), "spillway-gcp-identity-"));
	signer = new IdentitySigner(folder);
	google = createServer((_, response) => void response.setHeader("content-type", "application/json").end(JSON.stringify(signer.keys())));
	await new Promise<void>((resolve) => google.listen(0, "127.0.0.1", resolve));
	settings = siteAt((google.address() as AddressInfo).port);
});
afterAll(() => {
	google.close();
	rmSync(folder, { recursive: true, force: true });
});

function siteAt(port: number): Record<string, unknown> {
	const image = "projects/debian-cloud/global/images/family/debian-12";
	return { project: "acme-bursts-417", regions: ["us-central1"], image, endpoint: `http://127.0.0.1:${port}` };
}

const tokenOf = (machine: object = MACHINE, { audience = CHALLENGE.audience, atMs = NOW_MS } = {}): string =>
	signer.token(audience, atMs, { google: { compute_engine: machine } });

function verify(token: string, changes: Partial<IdentityClaim> = {}, site = settings): Promise<IdentityVerdict> {
	return identity.verify(site, {
		document: { kind: "gcp", token },
		challenge: CHALLENGE,
		...{ instanceId: INSTANCE, providerInstanceId: `${ZONE}/${NUMBER}`, isKnown: true, signedId: null },
		...{ region: "us-central1", controlPlane: "spw-test", nowMs: NOW_MS },
		...changes,
	});
}

const fault = async (verdict: Promise<IdentityVerdict>) => {
	const answer = await verdict;
	return answer.outcome === "refused" ? answer.fault : answer.outcome;
};

describe("a Google token", () => {
	it("proves the machine that it names", async () => {
		expect(await verify(tokenOf())).toEqual({ outcome: "proved" });
	});

	it.each([
		["another project", { project_id: "thief-417" }, "other_account"],
		["another region", { zone: "europe-west4-a" }, "other_region"],
		["another zone of the region", { zone: "us-central1-b" }, "other_instance"],
		["another number", { instance_id: "1" }, "other_instance"],
		["another name, as of a machine that this control plane launched for another instance", { instance_name: "spw-x" }, "other_instance"],
	])("is rejected for %s", async (_, change, wanted) => {
		expect(await fault(verify(tokenOf({ ...MACHINE, ...change })))).toBe(wanted);
	});

	it("is rejected when it was requested with another nonce, or for another control plane", async () => {
		const before = identityChallenge("https://spillway.example", INSTANCE, "m".repeat(32));
		const elsewhere = identityChallenge("https://other.example", INSTANCE, "n".repeat(32));
		for (const { audience } of [before, elsewhere]) expect(await fault(verify(tokenOf(MACHINE, { audience })))).toBe("not_fresh");
	});

	it("is rejected when it is expired, or from the future, by more than the allowed clock skew", async () => {
		const hour = 3_600_000;
		expect(await fault(verify(tokenOf(MACHINE, { atMs: NOW_MS - hour - 240_000 })))).toBe("proved");
		expect(await fault(verify(tokenOf(MACHINE, { atMs: NOW_MS - hour - 301_000 })))).toBe("expired");
		expect(await fault(verify(tokenOf(MACHINE, { atMs: NOW_MS + 240_000 })))).toBe("proved");
		expect(await fault(verify(tokenOf(MACHINE, { atMs: NOW_MS + 302_000 })))).toBe("not_yet_valid");
	});

	it("is rejected when it contains no vmId, like a token without format=full", async () => {
		expect(await fault(verify(signer.token(CHALLENGE.audience, NOW_MS, { email: "a@b.test" })))).toBe("malformed");
	});

	it("is rejected when anything of it was changed", async () => {
		const [header, payload, signature] = tokenOf({ ...MACHINE, project_id: "thief-417" }).split(".");
		const mine = Buffer.from(payload ?? "", "base64url")
			.toString()
			.replace("thief-417", "acme-bursts-417");
		expect(await fault(verify([header, Buffer.from(mine).toString("base64url"), signature].join(".")))).toBe("bad_signature");
	});

	it("is rejected when another key signed it, with Google's key id, its own, or none", async () => {
		const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
		const kid = (signer.keys().keys[0] as { kid: string }).kid;
		for (const header of [{ kid }, { kid: "mine" }, {}]) {
			const forged = new SignJWT({ google: { compute_engine: MACHINE } })
				.setProtectedHeader({ alg: "RS256", ...header })
				.setIssuer("https://accounts.google.com")
				.setAudience(CHALLENGE.audience)
				.setIssuedAt(NOW_MS / 1_000)
				.setExpirationTime(NOW_MS / 1_000 + 60);
			expect(await fault(verify(await forged.sign(privateKey)))).toBe("bad_signature");
		}
	});

	it("is rejected without a signature, and with the public key used as a secret", async () => {
		const [, payload] = tokenOf().split(".");
		const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
		expect(await fault(verify(`${part({ alg: "none" })}.${payload}.AA`))).toBe("bad_signature");
		const secret = new TextEncoder().encode(JSON.stringify(signer.keys()));
		const hmac = await new SignJWT({}).setProtectedHeader({ alg: "HS256" }).sign(secret);
		expect(await fault(verify(hmac))).toBe("bad_signature");
	});

	it("is rejected from another issuer", async () => {
		const token = signer.token(CHALLENGE.audience, NOW_MS, { google: { compute_engine: MACHINE }, iss: "https://accounts.example" });
		expect(await fault(verify(token))).toBe("malformed");
	});

	it("cannot be checked while the keys are unavailable", async () => {
		// Nothing listens on the discard port.
		expect(await verify(tokenOf(), {}, siteAt(9))).toMatchObject({ outcome: "unverifiable", message: /could not get Google's keys/ });
	});

	it("is rejected when it is another provider's document", async () => {
		expect(await fault(verify("", { document: { kind: "aws", pkcs7: "AAAA" } }))).toBe("malformed");
	});
});

it("is required by the site's own setting", () => {
	expect(identity.policyOf(settings)).toBe("when_offered");
	expect(identity.policyOf({ ...settings, instanceIdentity: "required" })).toBe("required");
	expect(() => identity.policyOf({ ...settings, instanceIdentity: "sometimes" })).toThrow(/instanceIdentity/);
});
