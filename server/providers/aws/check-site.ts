import { plural } from "#server/domain/sentence-facts.ts";
import { SECOND_MS } from "#server/kernel/units.ts";
import { type CheckStep, checkSteps, ifAllowed } from "../check-steps.ts";
import { DriverError } from "../driver-errors.ts";
import type { ListedPrice } from "../live-prices/merge-prices.ts";
import { describeReach } from "../reach.ts";
import type { SnapshotRate } from "../snapshot-rate.ts";
import type { Ec2Calls } from "./client.ts";
import { reachWithin } from "./gang-network.ts";
import { imageIn, runInstancesInput } from "./mapper.ts";
import type { AwsPriceList } from "./prices/price-list-client.ts";
import type { AwsQuotas } from "./quota-client.ts";
import type { VcpuQuota } from "./quotas.ts";
import { type ParsedAwsSettings, readsLivePrices } from "./settings.ts";

const POLICY = "Give the key's user or role the policy above";

/** Checks everything that a launch needs, region by region. Nothing is bought: launches are only tried with EC2's dry run. */
export function checkAwsSite(
	{ ec2, quotas, priceList }: { ec2: Ec2Calls; quotas: AwsQuotas; priceList: AwsPriceList },
	settings: ParsedAwsSettings,
	rates: readonly SnapshotRate[],
): AsyncGenerator<CheckStep> {
	const { regions } = settings;
	const [first = ""] = regions;
	const types = [...new Set(rates.map((rate) => rate.instanceType))];
	return checkSteps([
		{
			...{ id: "identity", title: "Credentials", decisive: true },
			fix: `Check that the access key is valid and that this host's clock is right. ${POLICY}.`,
			look: async () => `AWS takes the credentials; the account has ${plural((await ec2.enabledRegions(first)).length, "region")}.`,
		},
		{
			...{ id: "regions", title: "Regions", decisive: true },
			fix: "Enable the region for the account (Account > AWS Regions), or remove it from the settings.",
			async look() {
				const enabled = new Set(await ec2.enabledRegions(first));
				const missing = regions.filter((region) => !enabled.has(region));
				return missing.length > 0
					? { failed: `The account does not have ${missing.join(", ")}. It has ${[...enabled].sort().join(", ")}.` }
					: `Enabled: ${regions.join(", ")}.`;
			},
		},
		{
			...{ id: "image", title: "Machine image" },
			fix: "Image ids differ by region. Copy your image to that region, and enter one id for each region.",
			async look() {
				const states = await Promise.all(
					regions.map(async (region) => {
						const image = imageIn(settings, region);
						if (image === null) throw new DriverError("invalid_request", `no machine image is named for ${region}`);
						return { region, image, state: await ifAllowed(() => ec2.imageState(region, image)) };
					}),
				);
				const bad = states.filter(({ state }) => state !== null && state !== "available");
				if (bad.length > 0) return { failed: bad.map((s) => `${s.image} in ${s.region} is ${s.state}`).join("; ") };
				const unseen = states.filter(({ state }) => state === null).map(({ region }) => region);
				if (unseen.length > 0) return notAllowed("the image", "ec2:DescribeImages", unseen);
				return `Available: ${[...new Set(states.map(({ image }) => image))].join(", ")}.`;
			},
		},
		{
			...{ id: "subnet", title: "Subnets" },
			fix: "Correct the subnet's id, or leave it empty to use the zone's default subnet.",
			look: () => checkSubnets(ec2, settings),
		},
		{
			...{ id: "security_group", title: "Security groups" },
			fix: "Correct the group's id, or leave it empty to use the network's default group.",
			look: () => checkSecurityGroups(ec2, settings),
		},
		{
			...{ id: "key_pair", title: "Key pairs" },
			fix: "Correct the key pair's name (EC2 > Key Pairs, in that region), or leave it empty: then there is no SSH access to instances.",
			look: () => checkKeyPairs(ec2, settings),
		},
		{
			...{ id: "gang_network", title: "Network within a gang" },
			fix: "Add a rule to the security group that allows all traffic from the group itself. Single-node jobs do not need it.",
			look: () => lookBetween(ec2, settings),
		},
		{
			...{ id: "permissions", title: "Permission to launch" },
			fix: `${POLICY}. EC2's message names the missing permission.`,
			look: () => tryLaunches(ec2, settings, types),
		},
		{
			...{ id: "offers", title: "Machines and spot prices" },
			fix: `${POLICY}. It must be allowed to list machine types and prices.`,
			async look() {
				const sold = await Promise.all(
					regions.map(async (region) => {
						const [offerings, spot] = await Promise.all([ec2.offerings(region, types), ec2.spotPrices(region, types, Date.now())]);
						return { region, types: new Set(offerings.map((o) => o.InstanceType)).size, spot: spot.length };
					}),
				);
				const none = sold.filter((s) => s.types === 0).map((s) => s.region);
				if (none.length === sold.length) return { failed: `No machine type that Spillway supports is sold in ${none.join(", ")}.` };
				return sold.map((s) => `${s.region}: ${s.types} machine types, ${s.spot} spot prices`).join("; ");
			},
		},
		{
			...{ id: "prices", title: "On-demand prices" },
			fix: "",
			look: () => checkPrices(priceList, settings, types),
		},
		{
			...{ id: "quota", title: "Quotas" },
			fix: 'Request an increase in Service Quotas > Amazon EC2, "Running On-Demand P instances" or "All G and VT Spot Instance Requests": new accounts have 0.',
			look: () => checkQuotas(quotas, regions),
		},
	]);
}

async function checkPrices(priceList: AwsPriceList, settings: ParsedAwsSettings, types: readonly string[]) {
	if (!readsLivePrices(settings)) return "Shipped prices are used, because live prices are turned off or the endpoint is not Amazon's.";
	const shipped = "shipped on-demand prices are used, and disks are not counted";
	let prices: readonly ListedPrice[];
	try {
		prices = await priceList.machinePrices(settings.regions, types);
	} catch (error) {
		// Launches work without it.
		if (error instanceof DriverError && error.kind === "unauthorized")
			return {
				unknown: `The account has no permission to read AWS's price list: ${shipped}.`,
				fix: "Allow pricing:GetProducts to use current prices.",
			};
		const why = error instanceof Error ? error.message : String(error);
		return {
			unknown: `AWS's price list cannot be read now, so ${shipped}: ${why}`,
			fix: "Check that this host can reach it. Spillway retries automatically.",
		};
	}
	const found = (region: string) => new Set(prices.filter((price) => price.region === region).map((price) => price.instanceType)).size;
	return `AWS's price list: ${settings.regions.map((region) => `${region}: ${found(region)} machine types`).join("; ")}.`;
}

async function checkQuotas(quotas: AwsQuotas, regions: readonly string[]) {
	const all = await Promise.all(
		regions.map(async (region) => ({ region, known: await ifAllowed(async () => (await quotas.read(region)).filter(isForGpus)) })),
	);
	const unseen = all.filter(({ known }) => known === null).map(({ region }) => region);
	if (unseen.length > 0) return notAllowed("the quotas", "servicequotas:ListServiceQuotas", unseen);
	const found = all.map(({ region, known }) => ({ region, known: known ?? [] }));
	if (found.every(({ known }) => known.length === 0))
		return {
			unknown: "AWS lists no quota for GPU instances. A launch above a quota is rejected, and its offer is paused.",
		};
	if (found.every(({ known }) => known.every(({ limit }) => limit === 0)))
		return { failed: `Every quota for GPU instances is 0 in ${regions.join(", ")}.` };
	const wordsOf = (known: readonly VcpuQuota[]) => known.map(({ name, limit }) => `${name} ${limit} vCPUs`).join(", ") || "none is named";
	return found.map(({ region, known }) => `${region}: ${wordsOf(known)}`).join("; ");
}

/** Spillway launches machines of these two families. */
function isForGpus({ families }: VcpuQuota): boolean {
	return families.some((family) => /^[gp]\d*$/.test(family));
}

async function checkSubnets(ec2: Ec2Calls, settings: ParsedAwsSettings) {
	const named = Object.entries(settings.subnets);
	if (named.length === 0) return "Not set: each zone's default subnet is used.";
	const stray = named.filter(([place]) => !settings.regions.some((region) => place.startsWith(region))).map(([place]) => place);
	if (stray.length > 0) return { failed: `A subnet is set for ${stray.join(", ")}, which is not in the site's regions.` };
	for (const region of settings.regions) {
		const here = named.filter(([place]) => place.startsWith(region));
		if (here.length === 0) continue;
		const zones = await ifAllowed(() =>
			ec2.subnetZones(
				region,
				here.map(([, id]) => id),
			),
		);
		if (zones === null) return notAllowed("the subnets", "ec2:DescribeSubnets", [region]);
		const wrong = here.filter(([place, id]) => !(zones.get(id) ?? "").startsWith(place));
		if (wrong.length > 0)
			return { failed: wrong.map(([place, id]) => `${id} is in ${zones.get(id) ?? "no zone"}, not in ${place}`).join("; ") };
	}
	return `Found: ${named.map(([place, id]) => `${id} (${place})`).join(", ")}.`;
}

async function checkSecurityGroups(ec2: Ec2Calls, settings: ParsedAwsSettings) {
	const named = Object.entries(settings.securityGroups).filter(([region]) => settings.regions.includes(region));
	if (named.length === 0) return "Not set: the network's default group is used.";
	for (const [region, ids] of named) {
		const seen = await ifAllowed(async () => ec2.securityGroups(region, ids).then(() => true));
		if (seen === null) return notAllowed("the groups", "ec2:DescribeSecurityGroups", [region]);
	}
	return `Found: ${named.map(([region, ids]) => `${ids.join(", ")} (${region})`).join("; ")}.`;
}

async function checkKeyPairs(ec2: Ec2Calls, settings: ParsedAwsSettings) {
	const named = Object.entries(settings.keyPairs).filter(([region]) => settings.regions.includes(region));
	if (named.length === 0) return "Not set: there is no SSH access to instances.";
	for (const [region, name] of named) {
		const seen = await ifAllowed(() => ec2.findKeyPair(region, name).then(() => true));
		if (seen === null) return notAllowed("the key pairs", "ec2:DescribeKeyPairs", [region]);
	}
	return `Found: ${named.map(([region, name]) => `${name} (${region})`).join(", ")}.`;
}

async function lookBetween(ec2: Ec2Calls, { regions, securityGroups }: ParsedAwsSettings) {
	const looks = regions.map(async (region) => {
		const ids = securityGroups[region] ?? [];
		const groups = await ifAllowed(() => ec2.securityGroups(region, ids));
		if (ids.length > 0) return [{ name: `${ids.join(", ")} in ${region}`, reach: groups === null ? null : reachWithin(groups) }];
		// Each network has a default group, and the network of a launch depends on its subnet.
		const name = `the default group in ${region}`;
		if (groups === null) return [{ name, reach: null }];
		return groups.map((group) => ({ name: `${name} (${group.GroupId})`, reach: reachWithin([group]) }));
	});
	return describeReach((await Promise.all(looks)).flat(), "ec2:DescribeSecurityGroups");
}

async function tryLaunches(ec2: Ec2Calls, settings: ParsedAwsSettings, types: readonly string[]) {
	const tried: string[] = [];
	for (const region of settings.regions) {
		const [offering] = await ec2.offerings(region, types);
		const image = imageIn(settings, region);
		if (offering === undefined || image === null) continue;
		const trial = {
			...{ instanceId: "ins_check", jobId: "job_check", attemptId: "att_check", region, zone: null, instanceType: offering.InstanceType },
			...{ capacityType: "on_demand" as const, userData: "#!/bin/sh\n", expiresAtMs: Date.now() + 60 * SECOND_MS },
		};
		try {
			await ec2.tryLaunch(region, runInstancesInput(trial, settings, image));
		} catch (error) {
			// Permission is granted; an actual launch reports missing capacity or quota.
			if (!(error instanceof DriverError) || (error.kind !== "insufficient_capacity" && error.kind !== "quota_exceeded")) throw error;
		}
		tried.push(`${offering.InstanceType} in ${region}`);
	}
	if (tried.length === 0) return { unknown: "No machine type that Spillway supports is sold there, so no launch could be tested." };
	return `EC2 would accept a launch of ${tried.join(", ")} (dry run; nothing was created).`;
}

function notAllowed(what: string, right: string, regions: readonly string[]) {
	return {
		unknown: `The account has no permission to read ${what} in ${regions.join(", ")}.`,
		fix: `Allow ${right} so that Spillway can check it before a launch.`,
	};
}
