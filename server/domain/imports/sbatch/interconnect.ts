import type { Finding } from "../types.ts";
import type { Directive } from "./read-script.ts";

/** Node features that can only mean a high-bandwidth network. */
const NETWORK_FEATURES = new Set(["ib", "infiniband", "rdma", "roce", "efa", "hdr", "ndr"]);

/** Node features that a constraint names, without its operators. */
export const featuresOf = (constraint: string): string[] => constraint.split(/[&|,()[\]*\s]+/).filter((word) => word !== "");

/** Whether a constraint means only the network. */
export function isNetworkOnly(constraint: string): boolean {
	const features = featuresOf(constraint);
	return features.length > 0 && features.every(isNetworkFeature);
}

const isNetworkFeature = (word: string): boolean => NETWORK_FEATURES.has(word.toLowerCase());

/**
 * Whether a script needs its nodes close together: one leaf switch, or a feature of all its nodes that names a network. Alternatives (`|`)
 * and counts leave the network open unless all of them name one.
 */
export function readInterconnect(last: ReadonlyMap<string, Directive>, findings: Finding[]): "high" | null {
	const constraint = last.get("constraint")?.value ?? "";
	const onAllNodes = !/[|[\]*()]/.test(constraint) && featuresOf(constraint).some(isNetworkFeature);
	const named = onAllNodes || isNetworkOnly(constraint);
	const switches = last.get("switches");
	if (!switches) return named ? "high" : null;
	const one = /^0*1(@.*)?$/.test(switches.value.trim());
	const text = one
		? "Carried as interconnect: high, without a time limit. It applies to jobs with several nodes."
		: "A hint for the cluster's switches. Set interconnect: high if the nodes need a high-bandwidth network.";
	const subject = `--switches=${switches.value.slice(0, 60)}`;
	findings.push({ line: switches.line, kind: one ? "changed" : "dropped", subject, text });
	return one || named ? "high" : null;
}
