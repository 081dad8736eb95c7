import type { SourceNote } from "../source.ts";

/** Source of each price column of the raw catalog. Keys are prefixes of the catalog's own texts. */
interface CatalogueSource {
	prefix: string;
	note: SourceNote;
}

const CATALOGUE_SOURCES: readonly CatalogueSource[] = [
	{
		prefix: "karpenter-provider-aws",
		note: {
			id: "karpenter-aws",
			title: "Karpenter provider for AWS, generated on-demand prices",
			url: "https://github.com/aws/karpenter-provider-aws",
			licence: "Apache-2.0",
			asOf: "2026-07-20",
		},
	},
	{
		prefix: "ec2.shop",
		note: {
			id: "ec2-shop",
			title: "ec2.shop on-demand prices by region",
			url: "https://github.com/yeo/ec2.shop",
			licence: "MIT",
			asOf: "2025-04-04",
		},
	},
	{
		prefix: "on_demand x (1 - AWS Spot Advisor",
		note: {
			id: "spot-advisor",
			title: "Estimate: on-demand price × (1 − savings of the AWS Spot Instance Advisor)",
			url: "https://aws.amazon.com/ec2/spot/instance-advisor/",
			licence: "Apache-2.0 (the copy that was read)",
			asOf: "2025-06-28",
			estimate: true,
		},
	},
	{
		prefix: "skypilot-catalog v8",
		note: {
			id: "skypilot-v8",
			title: "SkyPilot catalog v8, P family by availability zone",
			url: "https://github.com/skypilot-org/skypilot-catalog",
			licence: "not checked; used only where no openly licensed source has the price",
			asOf: "2025-09-01",
			asOfNote: "the file is undated; it is not older than this",
		},
	},
	{
		prefix: "karpenter-provider-azure",
		note: {
			id: "karpenter-azure",
			title: "Karpenter provider for Azure, generated on-demand prices",
			url: "https://github.com/Azure/karpenter-provider-azure",
			licence: "Apache-2.0",
			asOf: "2026-06-18",
		},
	},
	{
		prefix: "on_demand x spot ratio from skypilot-catalog",
		note: {
			id: "skypilot-azure-ratio",
			title: "Estimate: on-demand price × spot ratio read in a fork of the SkyPilot catalog v8",
			url: "https://github.com/coopslarhette/skypilot-catalog",
			licence: "not checked; used only where no openly licensed source has the price",
			asOf: "2024-12-31",
			asOfNote: "content of about 2024",
			estimate: true,
		},
	},
	{
		prefix: "gpuhunt tpu_pricing.json",
		note: {
			id: "gpuhunt-tpu",
			title: "gpuhunt, tpu_pricing.json: price of a chip × chips",
			url: "https://github.com/dstackai/gpuhunt",
			licence: "MPL-2.0",
			asOf: "2024-12-23",
		},
	},
	{
		prefix: "Cyclenerd gcosts pricing.yml",
		note: {
			id: "gcosts",
			title: "Google Cloud pricing cost calculator (gcosts), pricing.yml",
			url: "https://github.com/Cyclenerd/google-cloud-pricing-cost-calculator",
			licence: "Apache-2.0",
			asOf: "2026-07-30",
		},
	},
];

/**
 * The source named by a text of the raw catalog.
 * @throws Error when it is unknown; describe it above first
 */
export function catalogueSource(text: string): SourceNote {
	const found = CATALOGUE_SOURCES.find((source) => text.startsWith(source.prefix));
	if (!found) throw new Error(`no description for the price source "${text}"; add it to convert/sources.ts`);
	return found.note;
}
