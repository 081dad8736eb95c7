import type { ChargeDimensions } from "./charge.ts";
import { EMBEDDED_STORE, type StoreConfig } from "./store.ts";
import { PROVIDERS } from "./vocabulary.ts";

type PlaceDimensions = Pick<ChargeDimensions, "siteId" | "provider" | "region" | "capacityType">;

/**
 * Where a store's cost belongs. Cloud buckets are cloud cost, which counts against budgets; everything else is the
 * company's own. The site is the store itself.
 */
export function storeDimensions(store: { id: string; config: StoreConfig } | null): PlaceDimensions {
	const own: PlaceDimensions = { siteId: store?.id ?? EMBEDDED_STORE, provider: "local", region: "", capacityType: "owned" };
	const cloud = store && cloudOf(store.config);
	return cloud ? { ...own, ...cloud, capacityType: "on_demand" } : own;
}

/** An entered place takes precedence over the settings. Null: not a cloud bucket. */
function cloudOf(config: StoreConfig): Pick<PlaceDimensions, "provider" | "region"> | null {
	const [cloud, region] = config.place?.split(":") ?? [];
	const provider = PROVIDERS.find((name) => name === cloud);
	if (provider !== undefined && region !== undefined) return { provider, region };
	if (config.place !== undefined) return null;
	switch (config.kind) {
		case "s3":
			return config.provider === "AWS" && config.endpoint === undefined ? { provider: "aws", region: config.region } : null;
		case "gcs":
			return { provider: "gcp", region: "" };
		case "azblob":
			return { provider: "azure", region: "" };
		case "webdav":
		case "folder":
			return null;
	}
}
