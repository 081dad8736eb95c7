import { defineAction } from "./action.ts";
import { COMPUTE_VERSION, PATHS } from "./paths.ts";

/** Any image exists, because the guest is this host; each has one version. Script `NotFound` for a missing one. */
export const listImages = defineAction<{ location: string; name: string }>({
	name: "virtualMachineImages.list",
	method: "GET",
	path: PATHS.images,
	apiVersion: COMPUTE_VERSION,
	query: ["$top"],
	read: ({ path: { location = "", publisherName, offer, skus } }) => ({ location, name: `${publisherName}/${offer}/${skus}` }),
	facts: ({ location }) => ({ region: location.toLowerCase() }),
	run: ({ location, name }, { world }) => ({
		status: 200,
		body: [{ name: "1.0.0", location, id: `/Subscriptions/${world.options.subscriptionId}/Images/${name}/1.0.0` }],
	}),
});
