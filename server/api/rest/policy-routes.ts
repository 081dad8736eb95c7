import { z } from "zod";
import {
	changePolicySettingsInput,
	checkInput,
	gitOrigin,
	mergeInput,
	publishInput,
	rollbackInput,
	saveDraftInput,
} from "#server/contract/inputs/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { checkPolicy } from "#server/services/governance/policy/check.ts";
import { unmanagePolicy } from "#server/services/governance/policy/manage.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { rollbackPolicy } from "#server/services/governance/policy/rollback.ts";
import { viewPolicy } from "#server/services/governance/policy/view.ts";
import { diffVersions } from "#server/services/policy/diff.ts";
import { discardDraft, getDraft, saveDraft } from "#server/services/policy/draft.ts";
import { currentTag, etagOf } from "#server/services/policy/entity-tag.ts";
import { mergeWithActive } from "#server/services/policy/merge.ts";
import { changePolicySettings, viewPolicySettings } from "#server/services/policy/settings.ts";
import { getVersion, listPolicies, listVersions } from "#server/services/policy/versions.ts";
import { baseVersionOf, notModified } from "./entity-tags.ts";
import { numberParam, refuseUnknown, textParam } from "./query.ts";
import { ok, type Route } from "./route.ts";

/** A PUT of a policy as JSON; YAML comes as it is, with `?message=` beside it. */
const putBody = publishInput
	.omit({ name: true, baseVersion: true })
	.extend({ origin: z.discriminatedUnion("kind", [z.strictObject({ kind: z.literal("cli") }), gitOrigin]).optional() });
const sourceBody = checkInput.omit({ name: true });

const fieldsOf = (body: unknown): object => (body !== null && typeof body === "object" ? body : {});
const textOrFields = (body: unknown): object => (typeof body === "string" ? { source: body } : fieldsOf(body));

/** With a body that the service parses, named by the path. */
const named = (params: Record<string, string>, body: unknown) => ({ ...textOrFields(body), name: params.name ?? "" });

/** A version's number in a path. @throws SpillwayError `not_found`: nothing has another name. */
function versionOf(text: string | undefined): number {
	if (/^[1-9]\d{0,8}$/.test(text ?? "")) return Number(text);
	throw new SpillwayError("not_found", `"${text}" is no version: versions are whole numbers from 1.`);
}

export const policyRoutes: Route[] = [
	{
		method: "GET",
		path: "/policies",
		summary: "The policies that there are; the one named default decides",
		permission: "policy:read",
		handle: async (ctx) => ok({ items: await listPolicies(ctx), nextCursor: null }),
	},
	{
		method: "GET",
		path: "/policies/{name}",
		summary: "The policy in force, as YAML and as rules; its ETag is what a PUT names in If-Match",
		permission: "policy:read",
		async handle(ctx, { params, raw, response }) {
			const view = await viewPolicy(ctx, params.name ?? "");
			if (notModified(raw, view.etag)) {
				response.writeHead(304, { etag: view.etag, "cache-control": "no-store" }).end();
				return "streamed";
			}
			return { status: 200, body: view, headers: { etag: view.etag } };
		},
	},
	{
		method: "PUT",
		path: "/policies/{name}",
		summary: "Publish a policy (JSON, or YAML with ?message=); needs If-Match: 428 without, 412 when somebody published since",
		permission: "policy:publish",
		body: putBody,
		// No Idempotency-Key: the same text again changes nothing, and is answered so.
		async handle(ctx, { params, body, raw, query }) {
			refuseUnknown(query, ["message"]);
			const name = params.name ?? "";
			const given = typeof body === "string" ? { source: body, message: textParam(query, "message") } : fieldsOf(body);
			const { origin, ...request } = putBody.parse(given);
			const before = await currentTag(ctx, name);
			const baseVersion = baseVersionOf(raw, before);
			const done = await publishPolicy(ctx, { ...request, name, baseVersion, origin: origin ?? { kind: "api" } });
			const etag = done.outcome === "proposed" ? before?.etag : etagOf({ version: done.version, source: request.source });
			return { status: statusOf(done.outcome, before === null), body: done, ...(etag === undefined ? {} : { headers: { etag } }) };
		},
	},
	{
		method: "GET",
		path: "/policies/{name}/versions",
		summary: "Versions, newest first, each with when it took effect and who published it; before=12 for the next page",
		permission: "policy:read",
		async handle(ctx, { params, query }) {
			refuseUnknown(query, ["before", "limit"]);
			const [before, limit] = [numberParam(query, "before"), numberParam(query, "limit")];
			const page = { ...(before === undefined ? {} : { before }), ...(limit === undefined ? {} : { limit }) };
			return ok(await listVersions(ctx, { name: params.name ?? "", ...page }));
		},
	},
	{
		method: "GET",
		path: "/policies/{name}/versions/{version}",
		summary: "One version with its text",
		permission: "policy:read",
		async handle(ctx, { params }) {
			const view = await getVersion(ctx, { name: params.name ?? "", version: versionOf(params.version) });
			return { status: 200, body: view, headers: { etag: view.etag } };
		},
	},
	{
		method: "GET",
		path: "/policies/{name}/diff",
		summary: "From one version to another, by rule and by line; what is left out is the version in force",
		permission: "policy:read",
		async handle(ctx, { params, query }) {
			refuseUnknown(query, ["from", "to"]);
			const [from, to] = [numberParam(query, "from"), numberParam(query, "to")];
			const ends = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
			return ok(await diffVersions(ctx, { name: params.name ?? "", ...ends }));
		},
	},
	{
		method: "POST",
		path: "/policies/{name}/check",
		summary: "What publishing this text would say: problems at line and column, and what it says differently",
		permission: "policy:read",
		body: sourceBody,
		handle: async (ctx, { params, body }) => ok(await checkPolicy(ctx, named(params, body) as z.input<typeof checkInput>)),
	},
	{
		method: "POST",
		path: "/policies/{name}/merge",
		summary: "A text begun from an older version brought together with the one in force",
		permission: "policy:read",
		body: mergeInput.omit({ name: true }),
		handle: async (ctx, { params, body }) => ok(await mergeWithActive(ctx, named(params, body) as z.input<typeof mergeInput>)),
	},
	{
		method: "POST",
		path: "/policies/{name}/rollback",
		summary: "Put an older version in force again",
		permission: "policy:publish",
		body: rollbackInput.omit({ name: true }),
		write: true,
		async handle(ctx, { params, body }) {
			const done = await rollbackPolicy(ctx, named(params, body) as z.input<typeof rollbackInput>);
			return ok(done, statusOf(done.outcome, false));
		},
	},
	{
		method: "POST",
		path: "/policies/{name}/unmanage",
		summary: "Take a policy out of git's hands, so that it can be edited here again",
		permission: "policy:publish",
		write: true,
		handle: async (ctx, { params }) => ok(await unmanagePolicy(ctx, { name: params.name ?? "" })),
	},
	{
		method: "GET",
		path: "/policies/{name}/draft",
		summary: "One's own unpublished text",
		permission: "policy:edit",
		async handle(ctx, { params }) {
			const draft = await getDraft(ctx, { name: params.name ?? "" });
			if (!draft) throw new SpillwayError("not_found", `You have no draft of "${params.name}".`, { fix: "PUT one here." });
			return ok(draft);
		},
	},
	{
		method: "PUT",
		path: "/policies/{name}/draft",
		summary: "Keep a text for later, also one that is no policy yet",
		permission: "policy:edit",
		body: saveDraftInput.omit({ name: true }),
		handle: async (ctx, { params, body }) => ok(await saveDraft(ctx, named(params, body) as z.input<typeof saveDraftInput>)),
	},
	{
		method: "POST",
		path: "/policies/{name}/draft/discard",
		summary: "Throw one's own draft away",
		permission: "policy:edit",
		async handle(ctx, { params }) {
			await discardDraft(ctx, { name: params.name ?? "" });
			return ok({});
		},
	},
	{
		method: "GET",
		path: "/policy-settings",
		summary: "Whether publishing needs a second person",
		permission: "policy:read",
		handle: async (ctx) => ok(await viewPolicySettings(ctx)),
	},
	{
		method: "PUT",
		path: "/policy-settings",
		summary: "Ask for a second person, or do without again: 202 when another platform engineer has to agree to that",
		permission: "policy:publish",
		body: changePolicySettingsInput,
		async handle(ctx, { body }) {
			const done = await changePolicySettings(ctx, body as z.input<typeof changePolicySettingsInput>);
			return ok(done, done.proposalId === null ? 200 : 202);
		},
	},
];

function statusOf(outcome: "published" | "unchanged" | "proposed", first: boolean): number {
	if (outcome === "proposed") return 202;
	return outcome === "published" && first ? 201 : 200;
}
