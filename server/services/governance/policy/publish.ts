import type { z } from "zod";
import { publishInput } from "#server/contract/inputs/policy.ts";
import type { Tx } from "#server/db/client.ts";
import type { Policy, PolicyProblem } from "#server/domain/policy.ts";
import { DEFAULT_POLICY } from "#server/domain/policy.ts";
import type { PolicyOrigin } from "#server/domain/policy-version.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { fetchPointer, fetchVersion } from "#server/services/policy/fetch-version.ts";
import { rejectManaged, rejectOtherBacktest, rejectStale, requireBacktestOrReason } from "#server/services/policy/guards.ts";
import { readPolicySettings } from "#server/services/policy/settings.ts";
import { nameProblem } from "./judge-text.ts";
import { knownFacts } from "./known-facts.ts";
import { keepInGit } from "./manage.ts";
import { proposePublication } from "./propose.ts";
import { lockPolicy, writeVersion } from "./write-version.ts";

export interface Published {
	/** `unchanged`: this exact text is already in force. `proposed`: another person must approve first. */
	outcome: "published" | "unchanged" | "proposed";
	/** The version in force after the call. */
	version: number;
	proposalId: string | null;
	/** Warnings about the text, including conflicts with the existing sites, teams and offers. */
	warnings: PolicyProblem[];
}

/** Origin of a text, set by the API that received it and never by a browser. */
export type PublishRequest = z.input<typeof publishInput> & { origin?: PolicyOrigin };

/**
 * Writes a new version of a policy and publishes it, or proposes it when a second person must approve. The installation itself
 * (a seed) names no base version and needs no approval.
 * @throws SpillwayError `invalid_input` with line and column when the text has an error; `precondition_failed` when another
 * version was published since the base version, with who, when and what; `forbidden` also where the policy is kept in git;
 * `conflict` when another change waits for approval. Nothing is written then. ZodError.
 */
export async function publishPolicy(
	ctx: ServiceContext,
	raw: PublishRequest | { name: string; source: string; message: string },
): Promise<Published> {
	authorize(ctx, "policy:publish", null);
	const request = readRequest(ctx, raw);
	const { name, source } = request;
	// Before the text itself: callers without the right to publish get 403, not other errors.
	const known = await fetchPointer(ctx.db, name);
	rejectManaged(known, request.origin);
	if (!known && ctx.actor.kind === "person" && name !== DEFAULT_POLICY) throw noOther(name);
	const { policy, problems } = parsePolicy(source, await knownFacts(ctx));
	const accepted = accept(name, source, policy, problems);
	return ctx.db.transaction(async (tx) => {
		await lockPolicy(tx, name);
		const done = await publishLocked(tx, ctx, { ...request, policy: accepted });
		return { ...done, warnings: problems };
	});
}

interface Request {
	name: string;
	source: string;
	message: string;
	/** Null for whatever version is in force. */
	baseVersion: number | null;
	backtestId: string | null;
	noBacktestReason: string | null;
	origin: PolicyOrigin | null;
}

function readRequest(ctx: ServiceContext, raw: PublishRequest | { name: string; source: string; message: string }): Request {
	if (ctx.actor.kind === "system" && !("baseVersion" in raw))
		return { ...raw, baseVersion: null, backtestId: null, noBacktestReason: null, origin: { kind: "seed" } };
	const { origin, ...rest } = { origin: undefined, ...raw };
	const { backtestId, noBacktestReason, ...input } = publishInput.parse(rest);
	return { ...input, backtestId: backtestId ?? null, noBacktestReason: noBacktestReason ?? null, origin: origin ?? null };
}

async function publishLocked(tx: Tx, ctx: ServiceContext, input: Request & { policy: Policy }): Promise<Omit<Published, "warnings">> {
	const { name, source, baseVersion, origin } = input;
	const pointer = await fetchPointer(tx, name);
	rejectManaged(pointer, origin);
	const version = pointer?.activeVersion ?? 0;
	// Also for callers with an older base version: the requested state is already reached (RFC 9110, 13.1.1).
	if (pointer && (await fetchVersion(tx, name, version)).source === source) {
		await keepInGit(tx, ctx, pointer, origin);
		return { outcome: "unchanged", version, proposalId: null };
	}
	if (baseVersion !== null) await rejectStale(tx, pointer, baseVersion);
	await rejectOtherBacktest(tx, name, source, input.backtestId);
	// The first policy has no history to replay.
	if (pointer) requireBacktestOrReason(input);
	if (ctx.actor.kind === "person" && (await readPolicySettings(tx)).secondPerson) {
		const { message, backtestId, noBacktestReason } = input;
		const change = { policyName: name, policyVersion: version, source, rollbackTo: null, origin, backtestId, noBacktestReason };
		return { outcome: "proposed", version, proposalId: await proposePublication(tx, ctx, change, message) };
	}
	const written = await writeVersion(tx, ctx, { ...input, baseVersion: version === 0 ? null : version });
	return { outcome: "published", version: written, proposalId: null };
}

/** @throws SpillwayError `invalid_input` with every problem and its position. */
export function accept(name: string, source: string, policy: Policy | null, problems: readonly PolicyProblem[]): Policy {
	const wrongName = policy && nameProblem(name, policy.name, source);
	if (policy && !wrongName) return policy;
	const all = wrongName ? [wrongName, ...problems] : problems;
	throw new SpillwayError("invalid_input", "The policy has errors and was not published.", {
		fields: all.map((p) => ({ path: "", message: p.fix === null ? p.message : `${p.message} ${p.fix}`, line: p.line, column: p.column })),
	});
}

function noOther(name: string): SpillwayError {
	return new SpillwayError("not_found", `There is no policy "${name}", and jobs only use the default policy.`, {
		fix: `Publish it as ${DEFAULT_POLICY}.`,
	});
}
