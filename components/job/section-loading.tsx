import { Panel } from "#components/ui/panel.tsx";
import { TableSkeleton } from "#components/ui/skeleton.tsx";

/** A panel-shaped skeleton. */
export function SectionLoading({ title, rows }: { title: string; rows: number }) {
	return (
		<Panel title={title}>
			<TableSkeleton rows={rows} label={`Loading: ${title}`} />
		</Panel>
	);
}
