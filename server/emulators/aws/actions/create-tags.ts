import { CreateTags$, type CreateTagsRequest } from "@aws-sdk/client-ec2";
import { defined } from "#server/kernel/assert.ts";
import type { Machine } from "../book/records.ts";
import { Ec2Error, missingParameter } from "../ec2-error.ts";
import { visibleMachines, type World } from "../world.ts";
import { defineAction } from "./action.ts";
import { requireMachines, stopDryRun } from "./instance-ids.ts";
import { assertTagCount, readTags, type Tags } from "./tags.ts";

/** CreateTags returns `<return>true</return>`, which the SDK's model omits. */
export const createTags = defineAction<CreateTagsRequest, Record<string, never>>({
	operation: CreateTags$,
	supports: ["Resources", "Tags", "DryRun"],
	run(input, { world, region }) {
		const resources = input.Resources ?? [];
		if (resources.length === 0) throw missingParameter("ResourceId");
		if ((input.Tags ?? []).length === 0) throw missingParameter("Tag");
		const tags = readTags(input.Tags);
		const all = visibleMachines(world, region);
		const targets = resources.map((id) => tagOwner(id, all, world, region));
		for (const { owner } of targets) assertTagCount({ ...owner.tags, ...tags });
		stopDryRun(input.DryRun);
		for (const { owner, machine } of targets) {
			owner.tags = { ...owner.tags, ...tags };
			world.store.save(machine.reservation);
		}
		return {};
	},
});

interface TagOwner {
	machine: Machine;
	/** The instance itself or its spot request. */
	owner: { tags: Tags };
}

function tagOwner(id: string, all: readonly Machine[], world: World, region: string): TagOwner {
	if (id.startsWith("sir-")) {
		const machine = all.find(({ instance }) => instance.spot?.requestId === id);
		if (machine?.instance.spot) return { machine, owner: machine.instance.spot };
		throw new Ec2Error("InvalidSpotInstanceRequestID.NotFound", `The spot instance request ID '${id}' does not exist`);
	}
	if (!id.startsWith("i-")) throw new Ec2Error("InvalidID", `The ID '${id}' is not valid`);
	const [machine] = requireMachines(world, region, [id]);
	return { machine: defined(machine, `instance ${id}`), owner: defined(machine, `instance ${id}`).instance };
}
