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

/** Everything that a launch will need, region by region. Nothing is bought: launches are only tried, by EC2's dry run. */
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
			...{ id: "identity", title: "Who we are to AWS", decisive: true },
			fix: `See that the access key is right and not revoked, and this host's clock. ${POLICY}.`,
			look: async () => `AWS takes the credentials; the account has ${(await ec2.enabledRegions(first)).length} regions.`,
		},
		{
			...{ id: "regions", title: "Regions", decisive: true },
			fix: "Enable the region for the account (Account > AWS Regions), or take it out of the settings.",
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
			fix: "Name an image that is in that region: images have another id in each. Copy yours there, or name one for each region.",
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
				return `There and available: ${[...new Set(states.map(({ image }) => image))].join(", ")}.`;
			},
		},
		{
			...{ id: "subnet", title: "Subnets" },
			fix: "Correct the subnet's id, or leave it out to use the zone's default subnet.",
			look: () => lookAtSubnets(ec2, settings),
		},
		{
			...{ id: "security_group", title: "Security groups" },
			fix: "Correct the group's id, or leave it out to use the network's default group.",
			look: () => lookAtGroups(ec2, settings),
		},
		{
			...{ id: "key_pair", title: "Key pairs" },
			fix: "Correct the key pair's name (EC2 > Key Pairs, in that region), or leave it out: then no one can log in to the machines.",
			look: () => lookAtKeyPairs(ec2, settings),
		},
		{
			...{ id: "gang_network", title: "Between the machines of a gang" },
			fix: "Add a rule to the security group that allows all traffic from the group itself. Jobs of one machine do without.",
			look: () => lookBetween(ec2, settings),
		},
		{
			...{ id: "permissions", title: "Rights to buy" },
			fix: `${POLICY}; what it names as missing is in EC2's message.`,
			look: () => tryLaunches(ec2, settings, types),
		},
		{
			...{ id: "offers", title: "Machines and spot prices" },
			fix: `${POLICY}: it needs to see what is sold, and for how much.`,
			async look() {
				const sold = await Promise.all(
					regions.map(async (region) => {
						const [offerings, spot] = await Promise.all([ec2.offerings(region, types), ec2.spotPrices(region, types, Date.now())]);
						return { region, types: new Set(offerings.map((o) => o.InstanceType)).size, spot: spot.length };
					}),
				);
				const none = sold.filter((s) => s.types === 0).map((s) => s.region);
				if (none.length === sold.length) return { failed: `None of the machines that Spillway knows is sold in ${none.join(", ")}.` };
				return sold.map((s) => `${s.region}: ${s.types} machine types, ${s.spot} spot prices`).join("; ");
			},
		},
		{
			...{ id: "prices", title: "Prices on demand" },
			fix: "",
			look: () => lookAtPrices(priceList, settings, types),
		},
		{
			...{ id: "quota", title: "Quotas" },
			fix: 'Ask for more in Service Quotas > Amazon EC2, as "Running On-Demand P instances" or "All G and VT Spot Instance Requests": new accounts have 0.',
			look: () => lookAtQuotas(quotas, regions),
		},
	]);
}

async function lookAtPrices(priceList: AwsPriceList, settings: ParsedAwsSettings, types: readonly string[]) {
	if (!readsLivePrices(settings)) return "The shipped ones, with their day: live ones are turned off, or the endpoint is not Amazon's.";
	const shipped = "prices on demand are the shipped ones, with their day, and disks are not counted";
	let prices: readonly ListedPrice[];
	try {
		prices = await priceList.machinePrices(settings.regions, types);
	} catch (error) {
		// Machines can be bought without it.
		if (error instanceof DriverError && error.kind === "unauthorized")
			return { unknown: `The account may not read AWS's price list: ${shipped}.`, fix: "Allow pricing:GetProducts to have those of now." };
		const why = error instanceof Error ? error.message : String(error);
		return {
			unknown: `AWS's price list cannot be read now, so that ${shipped}: ${why}`,
			fix: "See that this host reaches it; it is asked again by itself.",
		};
	}
	const found = (region: string) => new Set(prices.filter((price) => price.region === region).map((price) => price.instanceType)).size;
	return `AWS's price list: ${settings.regions.map((region) => `${region}: ${found(region)} machine types`).join("; ")}.`;
}

async function lookAtQuotas(quotas: AwsQuotas, regions: readonly string[]) {
	const all = await Promise.all(
		regions.map(async (region) => ({ region, known: await ifAllowed(async () => (await quotas.read(region)).filter(isForGpus)) })),
	);
	const unseen = all.filter(({ known }) => known === null).map(({ region }) => region);
	if (unseen.length > 0) return notAllowed("the quotas", "servicequotas:ListServiceQuotas", unseen);
	const found = all.map(({ region, known }) => ({ region, known: known ?? [] }));
	if (found.every(({ known }) => known.length === 0))
		return {
			unknown: "AWS names no quota on machines with GPUs; a launch over one is refused as such, and the offer left alone for a while.",
		};
	if (found.every(({ known }) => known.every(({ limit }) => limit === 0)))
		return { failed: `Every quota on machines with GPUs is 0 in ${regions.join(", ")}.` };
	const wordsOf = (known: readonly VcpuQuota[]) => known.map(({ name, limit }) => `${name} ${limit} vCPUs`).join(", ") || "none is named";
	return found.map(({ region, known }) => `${region}: ${wordsOf(known)}`).join("; ");
}

/** Spillway buys machines of these two families. */
function isForGpus({ families }: VcpuQuota): boolean {
	return families.some((family) => /^[gp]\d*$/.test(family));
}

async function lookAtSubnets(ec2: Ec2Calls, settings: ParsedAwsSettings) {
	const named = Object.entries(settings.subnets);
	if (named.length === 0) return "None is named: the default subnet of each zone is taken.";
	const stray = named.filter(([place]) => !settings.regions.some((region) => place.startsWith(region))).map(([place]) => place);
	if (stray.length > 0) return { failed: `A subnet is named for ${stray.join(", ")}, which is in none of the regions.` };
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
	return `There: ${named.map(([place, id]) => `${id} (${place})`).join(", ")}.`;
}

async function lookAtGroups(ec2: Ec2Calls, settings: ParsedAwsSettings) {
	const named = Object.entries(settings.securityGroups).filter(([region]) => settings.regions.includes(region));
	if (named.length === 0) return "None is named: the network's default group is taken.";
	for (const [region, ids] of named) {
		const seen = await ifAllowed(async () => ec2.securityGroups(region, ids).then(() => true));
		if (seen === null) return notAllowed("the groups", "ec2:DescribeSecurityGroups", [region]);
	}
	return `There: ${named.map(([region, ids]) => `${ids.join(", ")} (${region})`).join("; ")}.`;
}

async function lookAtKeyPairs(ec2: Ec2Calls, settings: ParsedAwsSettings) {
	const named = Object.entries(settings.keyPairs).filter(([region]) => settings.regions.includes(region));
	if (named.length === 0) return "None is named: no one can log in to the machines.";
	for (const [region, name] of named) {
		const seen = await ifAllowed(() => ec2.findKeyPair(region, name).then(() => true));
		if (seen === null) return notAllowed("the key pairs", "ec2:DescribeKeyPairs", [region]);
	}
	return `There: ${named.map(([region, name]) => `${name} (${region})`).join(", ")}.`;
}

async function lookBetween(ec2: Ec2Calls, { regions, securityGroups }: ParsedAwsSettings) {
	const looks = regions.map(async (region) => {
		const ids = securityGroups[region] ?? [];
		const groups = await ifAllowed(() => ec2.securityGroups(region, ids));
		if (ids.length > 0) return [{ name: `${ids.join(", ")} in ${region}`, reach: groups === null ? null : reachWithin(groups) }];
		// Each network has one, and which network a launch takes depends on its subnet.
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
			// It may buy there; a launch reports missing room or quota.
			if (!(error instanceof DriverError) || (error.kind !== "insufficient_capacity" && error.kind !== "quota_exceeded")) throw error;
		}
		tried.push(`${offering.InstanceType} in ${region}`);
	}
	if (tried.length === 0) return { unknown: "No machine that Spillway knows is sold there, so no launch could be tried." };
	return `EC2 would take a launch of ${tried.join(", ")} (its dry run; nothing was made).`;
}

function notAllowed(what: string, right: string, regions: readonly string[]) {
	return {
		unknown: `The account may not look at ${what} in ${regions.join(", ")}.`,
		fix: `Allow ${right} to have it checked before a launch.`,
	};
}
