import { mountsOf } from "#server/domain/site-mount.ts";
import { agentUrl, type Env, publicUrl } from "#server/env.ts";
import { awsSiteKind } from "#server/providers/aws/site-kind.ts";
import { azureSiteKind } from "#server/providers/azure/site-kind.ts";
import { checkSteps } from "#server/providers/check-steps.ts";
import { gcpSiteKind } from "#server/providers/gcp/site-kind.ts";
import { kubernetesSiteKind } from "#server/providers/kubernetes/site-kind.ts";
import { ImportedPrices } from "#server/providers/live-prices/imported-prices.ts";
import { LocalDriver } from "#server/providers/local/local-driver.ts";
import { assertLocalSiteAllowed, DEFAULT_SLOTS, type LocalSettings } from "#server/providers/local/settings.ts";
import { localSiteKind } from "#server/providers/local/site-kind.ts";
import type { OpenedSite, SiteKind, SitePlace } from "#server/providers/site-kind.ts";
import { slurmSiteKind } from "#server/providers/slurm/site-kind.ts";
import { trackingStep } from "#server/providers/way-back.ts";
import { ACCELERATOR_NAMES, resolveAlias } from "#server/rates/accelerators.ts";
import { listOffers, type RatedProvider } from "#server/rates/offers.ts";
import { CHIP_RATES } from "#server/rates/tpu-chips.ts";
import type { SiteRow } from "#server/services/capacity/site/row.ts";

/** Every provider that users can connect, in display order. A new driver is one entry. */
export function siteKinds(env: Env, imported = new ImportedPrices()): readonly SiteKind[] {
	const controlUrl = agentUrl(env);
	const pricesOf = (provider: RatedProvider) => () => imported.over(provider, listOffers(provider));
	return [
		awsSiteKind({ listPrices: pricesOf("aws"), endpoint: env.SPILLWAY_AWS_ENDPOINT, controlUrl }),
		azureSiteKind({ snapshot: pricesOf("azure"), endpoint: env.SPILLWAY_AZURE_ENDPOINT, controlUrl }),
		gcpSiteKind({ listPrices: pricesOf("gcp"), listChips: () => CHIP_RATES, endpoint: env.SPILLWAY_GCP_ENDPOINT, controlUrl }),
		checkingTracking(kubernetesSiteKind({ resolveAccelerator: resolveAlias, dataRemotes: env.SPILLWAY_DATA_REMOTES }), publicUrl(env)),
		checkingTracking(slurmSiteKind({ dataRemotes: env.SPILLWAY_DATA_REMOTES }), publicUrl(env)),
		// Jobs there run as the server's own user, so only the operator can allow it, with this setting.
		...(env.SPILLWAY_LOCAL_SLOTS
			? [
					localSiteKind({
						host: env.SPILLWAY_HOST,
						settings: localSettings(env),
						isKnown: (name) => ACCELERATOR_NAMES.some((a) => a === name),
					}),
				]
			: []),
	];
}

function checkingTracking(kind: SiteKind, controlUrl: string): SiteKind {
	return {
		...kind,
		async *check(place) {
			yield* kind.check(place);
			yield* checkSteps([trackingStep(controlUrl)]);
		},
	};
}

function localSettings(env: Env): LocalSettings {
	return {
		...{ home: env.SPILLWAY_HOME, slots: env.SPILLWAY_LOCAL_SLOTS ?? DEFAULT_SLOTS, accelerator: env.SPILLWAY_LOCAL_ACCELERATOR },
		dataRemotes: env.SPILLWAY_DATA_REMOTES,
	};
}

/** @throws Error for a provider without a driver, and for wrong settings */
export function openSite(kinds: readonly SiteKind[], env: Env, { provider }: Pick<SiteRow, "provider">, place: SitePlace): OpenedSite {
	if (provider === "local") {
		assertLocalSiteAllowed(env.SPILLWAY_HOST);
		return { kind: "cluster", driver: new LocalDriver(place.siteId, { ...localSettings(env), mounts: mountsOf(place.settings) }) };
	}
	const kind = kinds.find((k) => k.provider === provider);
	if (!kind) throw new Error(`there is no driver for ${provider} yet`);
	return kind.open(place);
}
