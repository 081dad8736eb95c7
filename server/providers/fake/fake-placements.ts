import { needsInterconnect } from "#server/domain/interconnect.ts";
import type { GangPlacement, GangPlacements, LaunchRequest } from "../driver.ts";

interface Placed extends GangPlacement {
	controlPlane: string;
}

/** The placement groups of a fake account: one for each gang that needs a high-bandwidth interconnect, until it is deleted. */
export class FakePlacements {
	#placed: Placed[] = [];

	/** As each launch of such a gang does. */
	create(controlPlane: string, { region, attemptId, nodes = 1, interconnect }: LaunchRequest): void {
		const placement = { controlPlane, region, attemptId, name: `spillway-${attemptId}` };
		const isKnown = this.#placed.some(({ name }) => name === placement.name);
		if (needsInterconnect({ nodes, interconnect }) && !isKnown) this.#placed.push(placement);
	}

	/** @param isUsed whether machines of the attempt have not terminated */
	of(controlPlane: string, isUsed: (attemptId: string) => boolean): GangPlacements {
		return {
			list: async () =>
				this.#placed
					.filter((placed) => placed.controlPlane === controlPlane)
					.map(({ region, name, attemptId }) => ({ region, name, attemptId })),
			delete: async ({ name }) => {
				this.#placed = this.#placed.filter((placed) => placed.name !== name || isUsed(placed.attemptId));
			},
		};
	}
}
