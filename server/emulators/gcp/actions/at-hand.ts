import { addressOf } from "../world.ts";
import { type Call, defineAction } from "./action.ts";

/**
 * What machines are made of and stand in: the guest is this host, so every image and every subnetwork is at hand. That one
 * is not there can be scripted: `notFound`.
 */
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
		return { kind: "compute#subnetwork", name: subnetwork, region: addressOf(world, `regions/${region}`) };
	},
});

function imageView(name: string): Record<string, unknown> {
	return { kind: "compute#image", name, status: "READY" };
}
