import { EmptyState } from "#components/page/states.tsx";
import { Button, IconButton } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, ThActions, Tr } from "#components/ui/table.tsx";
import { plural } from "#server/domain/sentence-facts.ts";
import { Address } from "./address.tsx";
import type { ListedCopy } from "./lists.ts";

interface ListedCopiesPanelProps {
	copies: readonly ListedCopy[];
	/** Null if the user cannot change the list. */
	change: { onAdd: () => void; onRemove: (copy: ListedCopy) => void } | null;
}

/** Copies of data sets that platform engineers listed. */
export function ListedCopiesPanel({ copies, change }: ListedCopiesPanelProps) {
	const add = change && (
		<Button size="sm" icon="plus" onClick={change.onAdd}>
			Add copy
		</Button>
	);
	return (
		<Panel title="Data sets" sub="with copies" actions={add}>
			{copies.length === 0 ? (
				<EmptyState icon="info" title="No copies listed">
					Each job reads its data from the address in its job file.
				</EmptyState>
			) : (
				<Table aria-label="Data sets">
					<thead>
						<tr>
							<Th>Data set</Th>
							<Th>Place</Th>
							<Th>Address there</Th>
							<Th n>Current for</Th>
							<ThActions />
						</tr>
					</thead>
					<tbody>
						{copies.map((copy) => (
							<Tr key={`${copy.at} ${copy.set}`}>
								<Address phone="a" text={copy.set} />
								<Td phone="c">{copy.at}</Td>
								<Address phone="e" text={copy.uri} />
								<Td n>{copy.freshDays === undefined ? <span className="text-ink-3">Earlier jobs</span> : plural(copy.freshDays, "day")}</Td>
								<Td phone="b" className="text-right">
									{change && (
										<IconButton size="sm" icon="x" label={`Remove ${copy.set} at ${copy.at}`} onClick={() => change.onRemove(copy)} />
									)}
								</Td>
							</Tr>
						))}
					</tbody>
				</Table>
			)}
		</Panel>
	);
}
