import { addressOf } from "../world.ts";
import { type Call, defineAction } from "./action.ts";

/** Images and subnetworks of machines. The guest is this host, so all exist. A missing one can be scripted: `notFound`. Subnetworks named `gpu-…` are each in a network of that name. */
export const getImage = defineAction({
	service: "Images",
	method: "Get",
	anyProject: true,
	run: ({ params }) => imageView(params["image"] ?? ""),
});

export const getImageOfFamily = defineAction({
	service: "Images",
	method: "GetFromFamily",
	anyProject: true,
	run: ({ params }) => ({ ...imageView(`${params["family"]}-v1`), family: params["family"] }),
});

export const getSubnetwork = defineAction({
	service: "Subnetworks",
	method: "Get",
	anyProject: true,
	run: ({ world, params }: Call) => {
		const { region, subnetwork } = params;
		const network = addressOf(world, `global/networks/${subnetwork?.startsWith("gpu-") ? subnetwork : "default"}`);
		return {
			kind: "compute#subnetwork",
			name: subnetwork,
			region: addressOf(world, `regions/${region}`),
			network,
			ipCidrRange: "10.128.0.0/20",
		};
	},
});

/** As Google creates them with a project's first network: its machines can reach each other. */
export const listFirewalls = defineAction({
	service: "Firewalls",
	method: "List",
	anyProject: true,
	query: ["maxResults", "pageToken", "filter"],
	run: ({ world }) => ({
		kind: "compute#firewallList",
		items: [
			{
				...{ name: "default-allow-internal", network: addressOf(world, "global/networks/default"), direction: "INGRESS", priority: 65_534 },
				sourceRanges: ["10.128.0.0/9"],
				allowed: [{ IPProtocol: "tcp", ports: ["0-65535"] }, { IPProtocol: "udp", ports: ["0-65535"] }, { IPProtocol: "icmp" }],
			},
		],
	}),
});

function imageView(name: string): Record<string, unknown> {
	return { kind: "compute#image", name, status: "READY" };
}
