import { type CheckStep, checkSteps } from "../check-steps.ts";
import { endpointElsewhere } from "../cloud-endpoint.ts";
import { mountsField } from "../mounts-field.ts";
import { describeReach } from "../reach.ts";
import type { SiteKind, SitePlace } from "../site-kind.ts";
import type { DatedRate } from "../snapshot-rate.ts";
import { controlUrlStep } from "../way-back.ts";
import { AzureCalls } from "./client.ts";
import { loadAzureSdk } from "./connect.ts";
import { azureIdentity } from "./identity.ts";
import { imageIn } from "./mapper.ts";
import { offersOf } from "./offers.ts";
import { openAzure } from "./open-site.ts";
import { azureCredentialsSchema, azureSettingsSchema, type ParsedAzureSettings } from "./settings.ts";

/**
 * Quotas on GPU sizes by their key, which Azure writes as `standardNCADSA100v4Family` or as `Standard NCASv3_T4 Family`. All spot
 * counts towards one separate quota.
 */
const GPU_QUOTA = /^(standard\s?n[cdgv]|lowprioritycores$)/;

/**
 * @param options.endpoint emulator endpoint for every Azure site of this process
 * @param options.controlUrl the address that machines call
 */
export function azureSiteKind(options: {
	snapshot: () => readonly DatedRate[];
	endpoint?: string | undefined;
	controlUrl: string;
}): SiteKind {
	const settings = azureSettingsSchema.omit({ controlPlane: true, credentials: true });
	const parse = ({ settings: row, credentials, controlPlane }: SitePlace) =>
		azureSettingsSchema.parse({
			...settings.parse(row),
			controlPlane,
			...(credentials === null ? {} : { credentials: azureCredentialsSchema.parse(credentials) }),
			...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
		});
	return {
		provider: "azure",
		title: "Microsoft Azure",
		owned: false,
		docs: "providers/azure.md",
		settings,
		guarded: endpointElsewhere,
		// An endpoint on this host belongs to an emulator, which gets no real secrets.
		sentTo: () => null,
		credentials: azureCredentialsSchema,
		withoutCredentials: "The Azure SDK's default chain on Spillway's host: environment, managed identity, or az login.",
		fields: [
			{ name: "subscriptionId", label: "Subscription", input: "text", required: true, hint: "GUID of the subscription that is billed." },
			{
				...{ name: "resourceGroup", label: "Resource group", input: "text", required: true, placeholder: "spillway" },
				hint: "A dedicated group, in which instances are created.",
			},
			{
				...{ name: "regions", label: "Regions", input: "lines", required: true, placeholder: "eastus\nwesteurope" },
				hint: "One per line, in Azure's short form.",
			},
			{
				...{ name: "subnets", label: "Subnets", input: "map", required: true },
				...{ placeholder: "eastus = /subscriptions/…/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/gpu/subnets/default" },
				hint: "A resource id for each region, because Azure has no default network. The subnet needs outbound access, such as a NAT gateway.",
			},
			{
				...{ name: "securityGroups", label: "Security groups", input: "map", required: false },
				hint: "Resource ids by region. If empty, the subnet's own rules.",
			},
			{
				...{ name: "sshPublicKey", label: "SSH public key", input: "text", required: false, placeholder: "ssh-ed25519 AAAA…" },
				hint: "For SSH access to instances. If empty, there is no SSH access.",
			},
			{
				...{ name: "image", label: "Machine image", input: "json", required: false },
				...{ placeholder: '{"publisher": "microsoft-dsvm", "offer": "ubuntu-hpc", "sku": "2204"}' },
				hint: 'As JSON: a marketplace image, or {"id": …} for your own. If empty, Microsoft\'s ubuntu-hpc 22.04.',
			},
			mountsField(
				{ type: "azurefiles", source: "acme.file.core.windows.net:/acme/imagenet" },
				"The source is server:/path, or a folder of the image. It must be reachable from all regions.",
			),
		],
		credentialFields: [
			{ name: "tenantId", label: "Tenant", input: "text", required: true, hint: "GUID of the tenant." },
			{
				name: "clientId",
				label: "Application (client) id",
				input: "text",
				required: true,
				hint: "Use a separate application with only the roles below.",
			},
			{
				name: "clientSecret",
				label: "Client secret",
				input: "secret",
				required: true,
				hint: "Stored encrypted and never shown again. It expires: note the date.",
			},
		],
		identity: azureIdentity(options.endpoint),
		open: (place) => {
			const parsed = parse(place);
			return { kind: "cloud", driver: openAzure(place.siteId, parsed, options.snapshot), loadSdk: () => loadAzureSdk(parsed) };
		},
		async *check(place) {
			const parsed = parse(place);
			yield* checkAzureSite(new AzureCalls(parsed), parsed, options.snapshot());
			yield* checkSteps([controlUrlStep(options.controlUrl, parsed.endpoint)]);
		},
	};
}

function checkAzureSite(azure: AzureCalls, settings: ParsedAzureSettings, rates: readonly DatedRate[]): AsyncGenerator<CheckStep> {
	const { regions, resourceGroup, subnets } = settings;
	return checkSteps([
		{
			...{ id: "identity", title: "Credentials", decisive: true },
			fix: `Check that the secret has not expired, that the subscription is right, and that the role above is assigned on the group ${resourceGroup}.`,
			async look() {
				await azure.checkGroup();
				return `Azure accepts the credentials and lists the machines of the group ${resourceGroup}.`;
			},
		},
		{
			...{ id: "regions", title: "Regions and machines", decisive: true },
			fix: "Use Azure's short form, such as eastus, and regions in which GPU sizes are available to the subscription.",
			async look() {
				const sold = await Promise.all(
					regions.map(async (region) => {
						const sizes = await azure.sizes(region);
						const facts = { siteId: "check", region, rates, sizes, nowMs: Date.now(), listPriceMaxAgeDays: 1e4, spotPriceMaxAgeDays: 1e4 };
						return { region, known: sizes.length > 0, types: new Set(offersOf(facts).map((o) => o.instanceType)).size };
					}),
				);
				const unknown = sold.filter((s) => !s.known).map((s) => s.region);
				if (unknown.length > 0) return { failed: `Azure sells nothing in ${unknown.join(", ")}.` };
				if (sold.every((s) => s.types === 0)) return { failed: `No GPU size is available to the subscription in ${regions.join(", ")}.` };
				return sold.map((s) => `${s.region}: ${s.types} GPU sizes`).join("; ");
			},
		},
		{
			...{ id: "image", title: "Machine image" },
			fix: "Correct publisher, offer and sku (az vm image list-skus), or enter the resource id of your own image.",
			async look() {
				const seen: string[] = [];
				for (const region of regions) {
					const image = imageIn(settings, region);
					if (image === null) return { failed: `No machine image is set for ${region}.` };
					if ("id" in image) return { unknown: `Your own image is not checked before a launch: ${image.id}.` };
					const there = await azure.imageExists(region, image);
					const name = `${image.publisher}:${image.offer}:${image.sku}`;
					if (there === null)
						return { unknown: `The account has no permission to read ${name}.`, fix: "Assign the second role above on the subscription." };
					if (!there) return { failed: `Azure does not have ${name} in ${region}.` };
					seen.push(`${name} in ${region}`);
				}
				return `Found: ${seen.join(", ")}.`;
			},
		},
		{
			...{ id: "subnet", title: "Subnets" },
			fix: "Enter a subnet for each region.",
			async look() {
				const missing = regions.filter((region) => subnets[region] === undefined);
				if (missing.length > 0) return { failed: `No subnet is set for ${missing.join(", ")}.` };
				return { unknown: "Set for each region. Only a launch shows whether they exist and can be used." };
			},
		},
		{
			...{ id: "gang_network", title: "Network within a gang" },
			fix: "Remove the rule that denies traffic within the virtual network, or add one before it that allows it. Single-node jobs do not need it.",
			async look() {
				const looks = regions.map(async (region) => ({ name: `the subnet in ${region}`, reach: await azure.reachIn(region) }));
				const rights = "Microsoft.Network/virtualNetworks/subnets/read and Microsoft.Network/networkSecurityGroups/read";
				return describeReach(await Promise.all(looks), rights);
			},
		},
		{
			...{ id: "permissions", title: "Permission to launch" },
			fix: "",
			look: async () => ({
				unknown: "Azure has no dry run. If a permission is missing, the first launch is rejected, at no cost.",
				fix: "Compare the assigned roles with the ones above.",
			}),
		},
		{
			...{ id: "quota", title: "Quotas" },
			fix: "Request quota (Subscriptions > Usage + quotas): the family for on-demand, Total Regional Low-priority vCPUs for spot.",
			async look() {
				const all = await Promise.all(regions.map(async (region) => ({ region, quotas: await azure.coreQuotas(region) })));
				if (all.some(({ quotas }) => quotas === null || quotas.length === 0))
					return {
						unknown: "Azure did not report the quotas.",
						fix: "Allow Microsoft.Compute/locations/usages/read so that Spillway can check them before a launch.",
					};
				const open = all.map(({ region, quotas }) => ({
					region,
					some: (quotas ?? []).filter((q) => GPU_QUOTA.test(q.key) && q.limit > 0),
				}));
				if (open.every(({ some }) => some.length === 0)) return { failed: `Every quota for GPU sizes is 0 in ${regions.join(", ")}.` };
				return open
					.map(({ region, some }) => `${region}: ${some.map((q) => `${q.name} ${q.used} of ${q.limit}`).join(", ") || "none"}`)
					.join("; ");
			},
		},
	]);
}
