import { type CheckStep, checkSteps } from "../check-steps.ts";
import { endpointElsewhere } from "../cloud-endpoint.ts";
import { describeReach } from "../reach.ts";
import type { SiteKind, SitePlace } from "../site-kind.ts";
import type { DatedRate } from "../snapshot-rate.ts";
import { wayBackStep } from "../way-back.ts";
import { AzureCalls } from "./client.ts";
import { azureIdentity } from "./identity.ts";
import { imageIn } from "./mapper.ts";
import { offersOf } from "./offers.ts";
import { openAzure } from "./open-site.ts";
import { azureCredentialsSchema, azureSettingsSchema, type ParsedAzureSettings } from "./settings.ts";

/**
 * Quotas on sizes with GPUs, by their key, which Azure writes as `standardNCADSA100v4Family` or as `Standard NCASv3_T4 Family`. All
 * spot counts against one separate quota.
 */
const GPU_QUOTA = /^(standard\s?n[cdgv]|lowprioritycores$)/;

/**
 * @param options.endpoint of this process, for every Azure site of it: an emulator's
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
		// An endpoint on this host is an emulator's, which gets no secret that is worth anything.
		sentTo: () => null,
		credentials: azureCredentialsSchema,
		withoutCredentials: "What Azure's SDK finds where Spillway runs: its environment, a managed identity, or az login.",
		fields: [
			{ name: "subscriptionId", label: "Subscription", input: "text", required: true, hint: "Its GUID. It pays." },
			{
				...{ name: "resourceGroup", label: "Resource group", input: "text", required: true, placeholder: "spillway" },
				hint: "Its own group, in which machines are made.",
			},
			{
				...{ name: "regions", label: "Regions", input: "lines", required: true, placeholder: "eastus\nwesteurope" },
				hint: "One a line, in Azure's short form.",
			},
			{
				...{ name: "subnets", label: "Subnets", input: "map", required: true },
				...{ placeholder: "eastus = /subscriptions/…/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/gpu/subnets/default" },
				hint: "A resource id for each region: Azure has no default network. It needs a way out, for example a NAT gateway.",
			},
			{
				...{ name: "securityGroups", label: "Security groups", input: "map", required: false },
				hint: "Resource ids by region. Without one, the subnet's own rules.",
			},
			{
				...{ name: "sshPublicKey", label: "Key of who may log in", input: "text", required: false, placeholder: "ssh-ed25519 AAAA…" },
				hint: "Empty: no one may.",
			},
			{
				...{ name: "image", label: "Machine image", input: "json", required: false },
				...{ placeholder: '{"publisher": "microsoft-dsvm", "offer": "ubuntu-hpc", "sku": "2204"}' },
				hint: 'As JSON: of the marketplace, or {"id": …} of one of your own. Empty: Microsoft\'s ubuntu-hpc 22.04.',
			},
		],
		credentialFields: [
			{ name: "tenantId", label: "Tenant", input: "text", required: true, hint: "Its GUID." },
			{
				name: "clientId",
				label: "Application (client) id",
				input: "text",
				required: true,
				hint: "Of a separate application with the roles below.",
			},
			{
				name: "clientSecret",
				label: "Client secret",
				input: "secret",
				required: true,
				hint: "Stored encrypted, never shown again. It ends by itself: note when.",
			},
		],
		identity: azureIdentity(options.endpoint),
		open: (place) => ({ kind: "cloud", driver: openAzure(place.siteId, parse(place), options.snapshot) }),
		async *check(place) {
			const parsed = parse(place);
			yield* checkAzureSite(new AzureCalls(parsed), parsed, options.snapshot());
			yield* checkSteps([wayBackStep(options.controlUrl, parsed.endpoint)]);
		},
	};
}

function checkAzureSite(azure: AzureCalls, settings: ParsedAzureSettings, rates: readonly DatedRate[]): AsyncGenerator<CheckStep> {
	const { regions, resourceGroup, subnets } = settings;
	return checkSteps([
		{
			...{ id: "identity", title: "Who we are to Azure", decisive: true },
			fix: `See that the secret has not ended, that the subscription is right, and that the role above is assigned on the group ${resourceGroup}.`,
			async look() {
				await azure.checkGroup();
				return `Azure takes the credentials, and shows the machines of the group ${resourceGroup}.`;
			},
		},
		{
			...{ id: "regions", title: "Regions and machines", decisive: true },
			fix: "Write regions in Azure's short form, such as eastus, and choose ones in which sizes with GPUs are open to the subscription.",
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
				if (sold.every((s) => s.types === 0)) return { failed: `No size with GPUs is open to the subscription in ${regions.join(", ")}.` };
				return sold.map((s) => `${s.region}: ${s.types} sizes with GPUs`).join("; ");
			},
		},
		{
			...{ id: "image", title: "Machine image" },
			fix: "Correct publisher, offer and sku (az vm image list-skus), or name the resource id of an image of your own.",
			async look() {
				const seen: string[] = [];
				for (const region of regions) {
					const image = imageIn(settings, region);
					if (image === null) return { failed: `No machine image is named for ${region}.` };
					if ("id" in image) return { unknown: `An image of your own is not looked at before a launch: ${image.id}.` };
					const there = await azure.imageExists(region, image);
					const name = `${image.publisher}:${image.offer}:${image.sku}`;
					if (there === null)
						return { unknown: `The account may not look at ${name}.`, fix: "Assign the second role above on the subscription." };
					if (!there) return { failed: `Azure does not have ${name} in ${region}.` };
					seen.push(`${name} in ${region}`);
				}
				return `There: ${seen.join(", ")}.`;
			},
		},
		{
			...{ id: "subnet", title: "Subnets" },
			fix: "Name a subnet for each region.",
			async look() {
				const missing = regions.filter((region) => subnets[region] === undefined);
				if (missing.length > 0) return { failed: `No subnet is named for ${missing.join(", ")}.` };
				return { unknown: "One is named for each region; a launch shows whether it exists and may be used." };
			},
		},
		{
			...{ id: "gang_network", title: "Between the machines of a gang" },
			fix: "Take out the rule that denies traffic within the virtual network, or put one before it that allows it. Jobs of one machine do without.",
			async look() {
				const looks = regions.map(async (region) => ({ name: `the subnet in ${region}`, reach: await azure.reachIn(region) }));
				const rights = "Microsoft.Network/virtualNetworks/subnets/read and Microsoft.Network/networkSecurityGroups/read";
				return describeReach(await Promise.all(looks), rights);
			},
		},
		{
			...{ id: "permissions", title: "Rights to buy" },
			fix: "",
			look: async () => ({
				unknown: "Azure tries no launch without making it. A right that is missing refuses the first one, before anything costs money.",
				fix: "Compare the assigned roles with the ones above.",
			}),
		},
		{
			...{ id: "quota", title: "Quotas" },
			fix: "Ask for quota (Subscriptions > Usage + quotas), for the family on demand and for Total Regional Low-priority vCPUs as spot.",
			async look() {
				const all = await Promise.all(regions.map(async (region) => ({ region, quotas: await azure.coreQuotas(region) })));
				if (all.some(({ quotas }) => quotas === null || quotas.length === 0))
					return {
						unknown: "Azure did not report the quotas.",
						fix: "Allow Microsoft.Compute/locations/usages/read to have them checked before a launch.",
					};
				const open = all.map(({ region, quotas }) => ({
					region,
					some: (quotas ?? []).filter((q) => GPU_QUOTA.test(q.key) && q.limit > 0),
				}));
				if (open.every(({ some }) => some.length === 0)) return { failed: `Every quota on sizes with GPUs is 0 in ${regions.join(", ")}.` };
				return open
					.map(({ region, some }) => `${region}: ${some.map((q) => `${q.name} ${q.used} of ${q.limit}`).join(", ") || "none"}`)
					.join("; ");
			},
		},
	]);
}
