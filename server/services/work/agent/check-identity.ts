import { and, desc, eq } from "drizzle-orm";
import { identityChallenge } from "#server/agent/identity-document.ts";
import type { EnrollRequest } from "#server/agent/protocol.ts";
import { audit } from "#server/db/schema/audit.ts";
import { instance } from "#server/db/schema/instance.ts";
import { site } from "#server/db/schema/site.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { IdentityFault, IdentityVerdict, InstanceIdentity } from "#server/providers/instance-identity.ts";
import { writeAgentAudit } from "#server/services/core/audit.ts";
import { deploymentId } from "#server/services/core/deployment.ts";
import type { AgentContext } from "./context.ts";

type Refusal = { fault: string; message: string };
const REFUSED_ACTION = "instance.identity_refused";
/**
 * A document that the provider signed for another machine. All other errors may be Spillway's (a certificate that changed, a format parsed
 * wrongly), and an attacker could simply omit the document. So where none is required, they do not reject a machine.
 */
const IS_ANOTHER: ReadonlySet<IdentityFault> = new Set(["other_account", "other_region", "other_instance"]);

/**
 * Checks the machine's document, or its absence, against the site's requirement. Call it before the enrollment transaction and only with a
 * correct secret, since it may have to fetch keys.
 * @throws SpillwayError `unauthenticated` for a document of another machine, and for any wrong one where one is required; `unavailable`,
 * after which the agent retries, where the site requires one and it is missing or cannot be checked now.
 */
export async function checkIdentity(ctx: AgentContext, input: EnrollRequest): Promise<void> {
	const [machine] = await ctx.db
		.select({
			...{ provider: instance.provider, region: instance.region, providerInstanceId: instance.providerInstanceId },
			signedId: instance.signedId,
			settings: site.settings,
		})
		.from(instance)
		.innerJoin(site, eq(site.id, instance.siteId))
		.where(eq(instance.id, input.instanceId));
	const checks = machine && ctx.identities?.of(machine.provider);
	if (!machine || !checks) return;
	const policy = checks.policyOf(machine.settings);
	if (policy === "ignored") return;
	const verdict = await judge(ctx, checks, machine, input);
	if (verdict.outcome === "proved") return;
	if (verdict.outcome === "refused") {
		await auditOnce(ctx, input.instanceId, verdict);
		if (policy === "when_offered" && !IS_ANOTHER.has(verdict.fault)) return;
		throw new SpillwayError("unauthenticated", `The identity document does not match this instance: ${verdict.message}.`, {
			fix: "Power the machine off.",
		});
	}
	if (policy === "when_offered") return;
	await auditOnce(ctx, input.instanceId, { fault: "missing", message: verdict.message });
	throw new SpillwayError("unavailable", `Instance ${input.instanceId} cannot enroll without an identity document: ${verdict.message}.`, {
		fix: "Query the metadata service again. If the provider signs none for this instance type, set instanceIdentity of the site to when_offered.",
	});
}

async function judge(
	ctx: AgentContext,
	checks: InstanceIdentity,
	machine: { region: string; providerInstanceId: string | null; signedId: string | null; settings: Record<string, unknown> },
	{ instanceId, nonce, providerInstanceId, identity }: EnrollRequest,
): Promise<IdentityVerdict> {
	if (identity === undefined) return { outcome: "unverifiable", message: "the machine sent none" };
	return checks.verify(machine.settings, {
		document: identity,
		challenge: identityChallenge(ctx.identities?.controlUrl() ?? "", instanceId, nonce),
		...{ instanceId, providerInstanceId, isKnown: machine.providerInstanceId === providerInstanceId },
		...{ signedId: machine.signedId, region: machine.region },
		controlPlane: await deploymentId(ctx.db),
		nowMs: ctx.clock.nowMs(),
	});
}

/** Anyone with the secret may retry without limit, and the audit is never emptied, so the same rejection is recorded only once. */
async function auditOnce(ctx: AgentContext, instanceId: string, { fault, message }: Refusal): Promise<void> {
	await ctx.db.transaction(async (tx) => {
		await tx.select({ id: instance.id }).from(instance).where(eq(instance.id, instanceId)).for("update");
		const [last] = await tx
			.select({ after: audit.after })
			.from(audit)
			.where(and(eq(audit.subject, instanceId), eq(audit.action, REFUSED_ACTION)))
			.orderBy(desc(audit.id))
			.limit(1);
		if ((last?.after as Refusal | undefined)?.fault === fault) return;
		await writeAgentAudit(tx, { action: REFUSED_ACTION, subject: instanceId, after: { fault, message }, atMs: ctx.clock.nowMs() });
	});
}
