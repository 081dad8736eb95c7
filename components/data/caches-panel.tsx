import { formatBytes } from "#components/job/job-checkpoints.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { Time } from "#components/time/relative-time.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { Address } from "./address.tsx";

type Caches = Outputs["dataSet"]["list"]["caches"];

/** What owned sites keep for later attempts. */
export function CachesPanel({ caches }: { caches: Caches }) {
	return (
		<Panel title="Caches" sub="of owned sites">
			{caches.length === 0 ? (
				<EmptyState icon="info" title="No cached data">
					Owned sites keep what jobs fetched for later jobs.
				</EmptyState>
			) : (
				<Table aria-label="Caches">
					<thead>
						<tr>
							<Th>Data set</Th>
							<Th>Site</Th>
							<Th n>Size</Th>
							<Th>Last used</Th>
						</tr>
					</thead>
					<tbody>
						{caches.flatMap(({ at, sets, otherSets, otherBytes, limitGiB }) => [
							...sets.map(({ uri, bytes, usedAtMs }) => (
								<Tr key={`${at} ${uri}`}>
									<Address phone="a" text={uri} />
									<Td phone="c">{at}</Td>
									<Td n phone="b">
										{formatBytes(bytes)}
									</Td>
									<Td phone="e">
										<Time atMs={usedAtMs} />
									</Td>
								</Tr>
							)),
							<Tr key={at}>
								<Td phone="a" className="text-ink-2">
									{otherSets === 0 ? "Used" : `Used, with ${otherSets} not listed`}
								</Td>
								<Td phone="c">{at}</Td>
								<Td n phone="b">
									{formatBytes(sets.reduce((sum, { bytes }) => sum + bytes, otherBytes))}
								</Td>
								<Td phone="e" className="text-ink-2">
									{limitGiB === null ? "Kept for 7 days" : `of ${formatBytes(limitGiB * 1024 ** 3)}`}
								</Td>
							</Tr>,
						])}
					</tbody>
				</Table>
			)}
		</Panel>
	);
}
