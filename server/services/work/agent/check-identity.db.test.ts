import os from "node:os";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { EnrollRequest } from "#server/agent/protocol.ts";
import { audit } from "#server/db/schema/audit.ts";
import { instance } from "#server/db/schema/instance.ts";
import { site } from "#server/db/schema/site.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import { ManualClock } from "#server/kernel/clock.ts";
import type { IdentityClaim, IdentityPolicy, IdentityVerdict } from "#server/providers/instance-identity.ts";
import { bootstrapSecretOf } from "./bootstrap.ts";
import type { AgentContext } from "./context.ts";
import { enrollAgent } from "./enroll.ts";
import { aSpec, SECRET_KEY, seedInstance, seedJob } from "./testing/seed.ts";

const IDENTITY = { kind: "aws", pkcs7: "AAAA" } as const;
const FOREIGN: IdentityVerdict = { outcome: "refused", fault: "other_account", message: "it is of the account 2" };
const NO_KEYS: IdentityVerdict = { outcome: "unverifiable", message: "there is no certificate" };

let database: TestDatabase;
let clock: ManualClock;
let instanceId: string;
let claims: IdentityClaim[];

beforeAll(async () => {
	database = await createTestDatabase();
	await database.db.insert(site).values({ id: "aws", name: "AWS", provider: "aws", settings: {} });
});
afterAll(() => database.drop());
beforeEach(async () => {
	clock = new ManualClock(Date.now());
	claims = [];
	const jobId = await seedJob(database.db, aSpec());
	const seed = { jobId, number: 1, expiresAtMs: clock.nowMs() + 3_600_000, providerInstanceId: null };
	({ instanceId } = await seedInstance(database.db, seed));
});

function contextOf(policy: IdentityPolicy, verdict: IdentityVerdict): AgentContext {
	const verify = async (_: unknown, claim: IdentityClaim) => {
		claims.push(claim);
		return verdict;
	};
	return {
		...{ db: database.db, clock, secretKey: SECRET_KEY, checkpointRoot: os.tmpdir(), artifactRoot: os.tmpdir() },
		timing: { heartbeatMs: 2_000, stopGraceMs: 90_000, controlSilenceMs: 1_000_000, leaseMs: 0 },
		identities: { of: () => ({ policyOf: () => policy, verify }), controlUrl: () => "https://spillway.example" },
	};
}

function enroll(policy: IdentityPolicy, verdict: IdentityVerdict, changes: Partial<EnrollRequest> = {}) {
	return enrollAgent(contextOf(policy, verdict), {
		...{ instanceId, bootstrapSecret: bootstrapSecretOf(SECRET_KEY, instanceId), nonce: "n".repeat(32) },
		...{ providerInstanceId: `i-${instanceId.slice(-12)}`, identity: IDENTITY },
		...changes,
	});
}

async function refusals() {
	const lines = await database.db.select().from(audit).where(eq(audit.subject, instanceId));
	return lines.map(({ actor, action, after }) => ({ actor, action, after }));
}

async function state() {
	const [row] = await database.db.select().from(instance).where(eq(instance.id, instanceId));
	return row?.state;
}

it("admits a machine with a valid document, and passes the provider's check the control plane's data", async () => {
	await database.db.update(instance).set({ signedId: "960a4b4a" }).where(eq(instance.id, instanceId));
	await enroll("required", { outcome: "proved" });
	expect(await state()).toBe("ready");
	const [{ challenge, ...claim } = {} as IdentityClaim] = claims;
	expect(claim).toMatchObject({
		instanceId,
		document: IDENTITY,
		isKnown: false,
		signedId: "960a4b4a",
		region: "us-east-1",
		nowMs: clock.nowMs(),
	});
	expect(challenge.audience.startsWith(`https://spillway.example/agent/v1/enroll/${instanceId}/`)).toBe(true);
	expect(challenge.audience).not.toContain("nnnnnnnn");
	expect(challenge.digits).toMatch(/^\d{10}$/);
});

it.each(["required", "when_offered"] as const)(
	"rejects another machine's document whatever the secret, and records that once: %s",
	async (policy) => {
		for (let i = 0; i < 3; i++)
			await expect(enroll(policy, FOREIGN)).rejects.toMatchObject({ code: "unauthenticated", message: /account 2/ });
		expect(await refusals()).toEqual([
			{ actor: "system:agent", action: "instance.identity_refused", after: { fault: "other_account", message: "it is of the account 2" } },
		]);
		expect(await state()).toBe("requested");
		// This does not spend the secret: the right machine still enrolls.
		await enroll(policy, { outcome: "proved" });
		expect(await state()).toBe("ready");
	},
);

it("rejects a machine with an invalid document where one is required; elsewhere it is only recorded in the audit", async () => {
	const forged: IdentityVerdict = { outcome: "refused", fault: "bad_signature", message: "it is signed by somebody else" };
	await expect(enroll("required", forged)).rejects.toMatchObject({ code: "unauthenticated", message: /somebody else/ });
	await enroll("when_offered", forged);
	expect(await state()).toBe("ready");
	expect(await refusals()).toMatchObject([{ action: "instance.identity_refused", after: { fault: "bad_signature" } }]);
});

it("makes an agent retry where a document is required and it has none, or none that can be checked now", async () => {
	await expect(enroll("required", { outcome: "proved" }, { identity: undefined })).rejects.toMatchObject({
		code: "unavailable",
		message: /sent none/,
	});
	await expect(enroll("required", NO_KEYS)).rejects.toMatchObject({ code: "unavailable", message: /no certificate/ });
	expect((await refusals()).map(({ after }) => after)).toEqual([{ fault: "missing", message: "the machine sent none" }]);
	expect(await state()).toBe("requested");
});

it("accepts a machine without a document where that is allowed", async () => {
	await enroll("when_offered", NO_KEYS);
	expect(await state()).toBe("ready");
	expect(await refusals()).toEqual([]);
});

it("checks no document where this is turned off", async () => {
	await enroll("ignored", FOREIGN);
	expect([await state(), claims]).toEqual(["ready", []]);
});

it("checks no document of a stranger without the secret", async () => {
	await expect(enroll("required", FOREIGN, { bootstrapSecret: "x".repeat(43) })).rejects.toMatchObject({ code: "unauthenticated" });
	expect(claims).toEqual([]);
	expect(await refusals()).toEqual([]);
});
