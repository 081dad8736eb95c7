import { checkSiteInput } from "#server/contract/inputs/capacity.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { CheckStep } from "#server/providers/check-steps.ts";
import type { SiteKind, SitePlace } from "#server/providers/site-kind.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { deploymentId } from "#server/services/core/deployment.ts";
import { credentialsOf } from "./credentials.ts";
import { fetchSite } from "./fetch.ts";
import { type CheckSiteInput, type CredentialsInput, kindOf, requireSameAddress, validateCredentials, validateSettings } from "./input.ts";
import type { SiteContext } from "./tools.ts";

/**
 * Checks everything that a draft or stored site needs, from this process; and reports each step as it ends. Stores nothing, and launches or
 * changes nothing at the provider.
 * @throws SpillwayError `forbidden`, `not_found`, `invalid_input` naming its fields, before the first step; ZodError.
 */
export async function prepareCheck(ctx: SiteContext, raw: CheckSiteInput): Promise<AsyncGenerator<CheckStep>> {
	authorize(ctx, "site:manage", null);
	const input = checkSiteInput.parse(raw);
	const row = input.id === undefined ? null : await fetchSite(ctx.db, input.id);
	const provider = row?.provider ?? input.provider;
	if (provider === undefined)
		throw new SpillwayError("invalid_input", "The provider is missing.", { fields: [{ path: "provider", message: "is missing" }] });
	const kind = kindOf(ctx.siteTools, provider);
	const settings = input.settings ?? row?.settings ?? {};
	validateSettings(kind, settings, row?.settings ?? null);
	if (row && !input.credentials) requireSameAddress(kind, row, settings);
	const given = input.credentials ?? (row === null ? ({ kind: "chain" } as const) : null);
	const drafted = given && validateCredentials(kind, given, settings);
	const credentials = drafted
		? (drafted.values ?? (await referenced(ctx, drafted.source)))
		: row && (await credentialsOf(ctx.siteTools.keys, row));
	const place = { siteId: row?.id ?? "draft", settings, credentials, controlPlane: await deploymentId(ctx.db) };
	return startCheck(kind, place);
}

function referenced(ctx: SiteContext, source: Exclude<CredentialsInput, { kind: "stored" }> | { kind: "stored" }) {
	return credentialsOf(ctx.siteTools.keys, { id: "draft", credentialSource: source, sealedCredentials: null });
}

/** The driver parses the content of a referenced file only now, so this step may fail. */
async function* startCheck(kind: SiteKind, place: SitePlace): AsyncGenerator<CheckStep> {
	let steps: AsyncGenerator<CheckStep>;
	try {
		steps = kind.check(place);
	} catch (error) {
		yield notReadable(error);
		return;
	}
	try {
		yield* steps;
	} catch (error) {
		yield notReadable(error);
	}
}

function notReadable(error: unknown): CheckStep {
	return {
		...{
			id: "settings",
			title: "Settings and credentials",
			outcome: "failed" as const,
			found: error instanceof Error ? error.message : String(error),
		},
		fix: "Fix the fields that it names. Referenced credentials need the same fields as stored ones.",
	};
}
