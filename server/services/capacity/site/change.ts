import { eq } from "drizzle-orm";
import { changeSiteInput } from "#server/contract/inputs/capacity.ts";
import { notify } from "#server/db/notify.ts";
import { site } from "#server/db/schema/site.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { auditedSite, lockSite } from "./fetch.ts";
import { type ChangeSiteInput, kindOf, requireSameAddress, validateCredentials, validateSettings } from "./input.ts";
import type { SiteRow } from "./row.ts";
import { type SiteSettingsView, siteSettingsView } from "./settings-view.ts";
import type { SiteContext } from "./tools.ts";

/**
 * Changes a site. Omitted fields, credentials included, stay as they are. A disabled site gets no new jobs; its running jobs are still
 * monitored and ended. The local site can only be renamed, enabled and disabled; its other fields come from this host.
 * @throws SpillwayError `forbidden`, `not_found`, `invalid_input` naming its fields; ZodError.
 */
export async function changeSite(ctx: SiteContext, id: string, raw: ChangeSiteInput): Promise<SiteSettingsView> {
	authorize(ctx, "site:manage", null);
	const input = changeSiteInput.parse(raw);
	return ctx.db.transaction(async (tx) => {
		const before = await lockSite(tx, id);
		const settings = input.settings ?? before.settings;
		const after: SiteRow = {
			...before,
			...{ name: input.name ?? before.name, enabled: input.enabled ?? before.enabled, settings },
			...credentialsAfter(ctx, before, input, settings),
		};
		await tx.update(site).set(after).where(eq(site.id, id));
		await writeAudit(tx, ctx, {
			...{ action: "site.change", subject: id },
			...{ before: auditedSite(before), after: { ...auditedSite(after), ...(input.credentials ? { credentialsChanged: true } : {}) } },
		});
		await notify(tx, { sites: true, wake: true, changes: [{ topic: "site", id, team: null }] });
		return siteSettingsView(after);
	});
}

function credentialsAfter(
	ctx: SiteContext,
	before: SiteRow,
	input: ChangeSiteInput,
	settings: Record<string, unknown>,
): Pick<SiteRow, "credentialSource" | "sealedCredentials" | "credentialsChangedAt"> {
	const kept = { credentialSource: before.credentialSource, sealedCredentials: before.sealedCredentials };
	if (!input.settings && !input.credentials) return { ...kept, credentialsChangedAt: before.credentialsChangedAt };
	const kind = kindOf(ctx.siteTools, before.provider);
	if (input.settings) validateSettings(kind, settings, before.settings);
	if (!input.credentials) {
		requireSameAddress(kind, before, settings);
		if (before.credentialSource === null || before.credentialSource.kind === "chain")
			validateCredentials(kind, { kind: "chain" }, settings);
		return { ...kept, credentialsChangedAt: before.credentialsChangedAt };
	}
	const { source, values } = validateCredentials(kind, input.credentials, settings);
	return {
		credentialSource: source,
		sealedCredentials: values && ctx.siteTools.keys.seal(before.id, JSON.stringify(values)),
		credentialsChangedAt: new Date(ctx.clock.nowMs()),
	};
}
