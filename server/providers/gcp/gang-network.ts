import { BlockList } from "node:net";
import { z } from "zod";
import type { Reach } from "../reach.ts";
import type { ParsedGcpSettings } from "./settings.ts";

const list = z
	.array(z.string())
	.nullish()
	.transform((all) => all ?? []);
const protocols = z
	.array(z.object({ IPProtocol: z.string(), ports: list }))
	.nullish()
	.transform((all) => all ?? []);

/** The fields of a firewall rule that are read. */
export const firewallSchema = z.object({
	name: z.string().min(1),
	priority: z.number().int().nullish(),
	direction: z.string(),
	disabled: z.boolean().nullish(),
	sourceRanges: list,
	sourceTags: list,
	sourceServiceAccounts: list,
	targetTags: list,
	targetServiceAccounts: list,
	allowed: protocols,
	denied: protocols,
});
export type GceFirewall = z.output<typeof firewallSchema>;

/** Google's default for a rule without a priority. */
const PRIORITY_DEFAULT = 1_000;

/**
 * Whether machines of a subnetwork reach each other on all TCP ports. The first rule by priority that covers all ports decides,
 * with denials before permissions of the same priority; without one, Google allows nothing.
 */
export function reachBetween(
	rules: readonly GceFirewall[],
	{ ipCidrRange, networkTags, serviceAccount }: Pick<ParsedGcpSettings, "networkTags" | "serviceAccount"> & { ipCidrRange: string },
): Reach {
	const accounts = serviceAccount === undefined ? [] : [serviceAccount];
	const isOurs = (tags: string[], emails: string[]): boolean =>
		tags.some((tag) => networkTags.includes(tag)) || emails.some((email) => accounts.includes(email));
	const speaking = rules
		.filter((rule) => rule.direction === "INGRESS" && rule.disabled !== true)
		.filter(({ targetTags, targetServiceAccounts: emails }) => targetTags.length + emails.length === 0 || isOurs(targetTags, emails))
		.filter((r) => isOurs(r.sourceTags, r.sourceServiceAccounts) || r.sourceRanges.some((range) => covers(range, ipCidrRange)))
		.filter(({ allowed, denied }) => [...allowed, ...denied].some(isForAllPorts))
		.sort((a, b) => (a.priority ?? PRIORITY_DEFAULT) - (b.priority ?? PRIORITY_DEFAULT) || b.denied.length - a.denied.length);
	return (speaking[0]?.allowed.length ?? 0) > 0 ? "yes" : "no";
}

function isForAllPorts({ IPProtocol, ports }: GceFirewall["allowed"][number]): boolean {
	if (IPProtocol === "all") return true;
	return (IPProtocol === "tcp" || IPProtocol === "6") && (ports.length === 0 || ports.includes("0-65535") || ports.includes("1-65535"));
}

/** Whether one address range contains another. */
function covers(outer: string, inner: string): boolean {
	const [address = "", bits = "0"] = outer.split("/");
	const [innerAddress = "", innerBits = "0"] = inner.split("/");
	if (address.includes(":") || Number(bits) > Number(innerBits)) return false;
	const range = new BlockList();
	range.addSubnet(address, Number(bits), "ipv4");
	return range.check(innerAddress, "ipv4");
}
