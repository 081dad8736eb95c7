import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { identityChallenge } from "#server/agent/identity-document.ts";
import { type Identity, newIdentity, signMessage } from "#server/emulators/shared/identity-authority.ts";
import type { IdentityClaim, IdentityVerdict } from "../instance-identity.ts";
import { awsIdentity } from "./identity.ts";

const NOW_MS = Date.UTC(2026, 10, 22, 12);
const ACCOUNT = "123456789012";
const MACHINE = { accountId: ACCOUNT, region: "us-east-1", instanceId: "i-0123456789abcdef0", imageId: "ami-1", version: "2017-09-30" };

let folder: string;
let amazon: Identity;
let thief: Identity;
let settings: Record<string, unknown>;
const identity = awsIdentity(undefined);

beforeAll(async () => {
	folder = mkdtempSync(path.join(tmpdir(), "spillway-aws-identity-"));
	[amazon, thief] = await Promise.all([
		newIdentity({ name: "amazon", notBeforeMs: NOW_MS }),
		// The exact name of the real one.
		newIdentity({ name: "amazon", notBeforeMs: NOW_MS }),
	]);
	settings = { regions: ["us-east-1"], imageId: "ami-1", identityCertificates: { "us-east-1": amazon.certificate } };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const signed = (machine: unknown = MACHINE, signer = amazon, withCertificate = false) =>
	signMessage(typeof machine === "string" ? machine : JSON.stringify(machine), signer, { withCertificate });

function verify(pkcs7: string, changes: Partial<IdentityClaim> = {}, site: Record<string, unknown> = {}): Promise<IdentityVerdict> {
	return identity.verify(
		{ ...settings, ...site },
		{
			document: { kind: "aws", pkcs7 },
			challenge: identityChallenge("https://spillway.example", "ins_01k_1_0", "n".repeat(32)),
			...{ instanceId: "ins_01k_1_0", providerInstanceId: MACHINE.instanceId, isKnown: true, signedId: null },
			...{ region: "us-east-1", controlPlane: "spw-test", nowMs: NOW_MS },
			...changes,
		},
	);
}

const fault = async (verdict: Promise<IdentityVerdict>) => {
	const answer = await verdict;
	return answer.outcome === "refused" ? answer.fault : answer.outcome;
};

describe("an instance identity document of Amazon's", () => {
	it("proves the instance that it names, with or without an embedded certificate", async () => {
		expect(await verify(await signed())).toEqual({ outcome: "proved" });
		expect(await verify(await signed(MACHINE, amazon, true))).toEqual({ outcome: "proved" });
	});

	it.each([
		["another instance's", { instanceId: "i-0fedcba9876543210" }, "other_instance"],
		["another region's", { region: "eu-west-1" }, "other_region"],
		["no instance's", { instanceId: undefined }, "malformed"],
	])("is rejected when it is %s", async (_, change, wanted) => {
		expect(await fault(verify(await signed({ ...MACHINE, ...change })))).toBe(wanted);
	});

	it("is rejected when it names another account than the site's, if the site names one", async () => {
		const foreign = await signed({ ...MACHINE, accountId: "999999999999" });
		expect(await fault(verify(foreign, {}, { accountId: ACCOUNT }))).toBe("other_account");
		expect(await fault(verify(foreign, { isKnown: false }, { accountId: ACCOUNT }))).toBe("other_account");
	});

	it("is accepted for a machine with an id reported only by its agent only if the account is known", async () => {
		const foreign = await signed({ ...MACHINE, accountId: "999999999999" });
		expect(await fault(verify(foreign, { isKnown: false }))).toBe("unverifiable");
		expect(await fault(verify(await signed(), { isKnown: false }, { accountId: ACCOUNT }))).toBe("proved");
	});

	it("is rejected when someone else signed it under Amazon's name with an embedded certificate", async () => {
		for (const withCertificate of [false, true])
			expect(await fault(verify(await signed(MACHINE, thief, withCertificate)))).toBe("bad_signature");
	});

	it("is rejected when anything of it was changed", async () => {
		const der = Buffer.from((await signed({ ...MACHINE, instanceId: "i-0fedcba9876543210" })).replace(/\s/g, ""), "base64");
		const at = der.indexOf("i-0fedcba9876543210");
		expect(at).toBeGreaterThan(0);
		der.write(MACHINE.instanceId, at);
		expect(await fault(verify(der.toString("base64")))).toBe("bad_signature");
	});

	it.each([
		["nothing", ""],
		["not PKCS #7", Buffer.from("a text").toString("base64")],
		["an empty sequence", "MAA="],
	])("is rejected when it is %s", async (_, pkcs7) => {
		expect(await fault(verify(pkcs7))).toBe("malformed");
	});

	it("is rejected when the signed content is not a document, or is truncated", async () => {
		expect(await fault(verify(await signed("not JSON")))).toBe("malformed");
		const whole = (await signed()).replace(/\s/g, "");
		expect(await fault(verify(whole.slice(0, whole.length / 2)))).toBe("malformed");
	});

	it("cannot be checked in a region without a known certificate", async () => {
		const nowhere = verify(await signed(), { region: "xx-north-9" });
		expect(await nowhere).toMatchObject({ outcome: "unverifiable", message: /identityCertificates/ });
	});

	it("is checked with the shipped certificate if the site provides none", async () => {
		expect(await fault(verify(await signed(), {}, { identityCertificates: {} }))).toBe("bad_signature");
	});

	it("cannot be checked while an emulated endpoint is unavailable", async () => {
		expect(await fault(verify(await signed(), {}, { endpoint: "http://127.0.0.1:9" }))).toBe("unverifiable");
	});
});
