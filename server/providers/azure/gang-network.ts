import { z } from "zod";
import type { Reach } from "../reach.ts";

const list = z.array(z.string()).nullish();

/** The fields of a network security group that are read. */
export const networkGroupSchema = z.object({
	properties: z.object({
		securityRules: z
			.array(
				z.object({
					name: z.string(),
					properties: z.object({
						...{ priority: z.number(), direction: z.string(), access: z.string(), protocol: z.string() },
						...{ sourceAddressPrefix: z.string().nullish(), sourceAddressPrefixes: list },
						...{ destinationPortRange: z.string().nullish(), destinationPortRanges: list },
					}),
				}),
			)
			.default([]),
	}),
});
type Rule = z.output<typeof networkGroupSchema>["properties"]["securityRules"][number]["properties"];

/** The part of a subnet that is read: the security group of all its machines. */
export const subnetSchema = z.object({ properties: z.object({ networkSecurityGroup: z.object({ id: z.string() }).nullish() }) });

/**
 * Whether a group lets machines of one virtual network reach each other on all TCP ports. The first rule by priority decides;
 * Azure's own AllowVnetInBound comes last.
 */
export function reachThrough(group: z.output<typeof networkGroupSchema>): Reach {
	const rules = group.properties.securityRules
		.map(({ properties }) => properties)
		.filter((rule) => rule.direction === "Inbound" && ["*", "tcp"].includes(rule.protocol.toLowerCase()) && isForAllPorts(rule))
		.sort((a, b) => a.priority - b.priority);
	for (const rule of rules) {
		const sources = [rule.sourceAddressPrefix, ...(rule.sourceAddressPrefixes ?? [])].filter((source) => source != null);
		const whole = sources.some((source) => ["*", "any", "0.0.0.0/0", "virtualnetwork"].includes(source.toLowerCase()));
		if (whole) return rule.access === "Allow" ? "yes" : "no";
		// Addresses of some machines, which may include these; a tag such as Internet excludes the network itself.
		if (rule.access === "Deny" && sources.some((source) => /^[\d.]+(\/\d+)?$/.test(source))) return "maybe";
	}
	return "yes";
}

function isForAllPorts({ destinationPortRange, destinationPortRanges }: Rule): boolean {
	return [destinationPortRange, ...(destinationPortRanges ?? [])].some((range) => {
		const [from, to] =
			/^(\d+)-(\d+)$/
				.exec(range ?? "")
				?.slice(1)
				.map(Number) ?? [];
		return range === "*" || (from !== undefined && to !== undefined && from <= 1_024 && to === 65_535);
	});
}
