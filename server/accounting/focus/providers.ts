import type { ChargeKind } from "#server/domain/charge.ts";
import type { Provider } from "#server/domain/vocabulary.ts";

export interface ServiceIdentity {
	name: string;
	category: string;
	subcategory: string;
}

/** Names that the providers use in their own FOCUS exports. */
const CLOUDS = {
	aws: { provider: "AWS", publisher: "Amazon Web Services, Inc.", invoiceIssuer: "Amazon Web Services, Inc." },
	azure: { provider: "Microsoft", publisher: "Microsoft", invoiceIssuer: "Microsoft" },
	gcp: { provider: "Google Cloud", publisher: "Google Cloud", invoiceIssuer: "Google Cloud" },
} as const;

/** Who provided, published and invoices it: for owned hardware the company itself, under its site's name. */
export function identityOf(provider: Provider, siteName: string): { provider: string; publisher: string; invoiceIssuer: string } {
	switch (provider) {
		case "aws":
		case "azure":
		case "gcp":
			return CLOUDS[provider];
		case "local":
		case "slurm":
		case "kubernetes":
			return { provider: siteName, publisher: siteName, invoiceIssuer: siteName };
	}
}

const MACHINES = { aws: "Amazon Elastic Compute Cloud", azure: "Virtual Machines", gcp: "Compute Engine" } as const;
const DISKS = { aws: "Amazon Elastic Block Store", azure: "Managed Disks", gcp: "Persistent Disk" } as const;
const OBJECTS: Partial<Record<Provider, string>> = {
	aws: "Amazon Simple Storage Service",
	azure: "Storage Accounts",
	gcp: "Cloud Storage",
};
const NETWORKS = { aws: "AWS Data Transfer", azure: "Bandwidth", gcp: "Network Data Transfer" } as const;

/** Each service has one category and one subcategory, whatever is charged for it. */
export function serviceOf(provider: Provider, kind: ChargeKind, isStored: boolean): ServiceIdentity {
	if (isStored && kind === "storage")
		return { name: OBJECTS[provider] ?? "Result Storage", category: "Storage", subcategory: "Object Storage" };
	switch (provider) {
		case "aws":
		case "azure":
		case "gcp":
			if (kind === "egress") return { name: NETWORKS[provider], category: "Networking", subcategory: "Other (Networking)" };
			if (kind === "storage") return { name: DISKS[provider], category: "Storage", subcategory: "Block Storage" };
			return { name: MACHINES[provider], category: "Compute", subcategory: "Virtual Machines" };
		case "local":
		case "slurm":
		case "kubernetes":
			if (isStored) return { name: "Result Delivery", category: "Networking", subcategory: "Other (Networking)" };
			return { name: "Owned GPU Capacity", category: "Compute", subcategory: "Other (Compute)" };
	}
}

/** The provider that a bill's ProviderName refers to; null for an unknown one. */
export function providerNamed(name: string): "aws" | "azure" | "gcp" | null {
	if (/\b(aws|amazon)\b/i.test(name)) return "aws";
	if (/\b(azure|microsoft)\b/i.test(name)) return "azure";
	if (/\b(gcp|google)\b/i.test(name)) return "gcp";
	return null;
}
