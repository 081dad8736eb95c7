import type { ReactNode } from "react";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { Panel, PanelSplit } from "#components/ui/panel.tsx";
import { TableSkeleton, TextSkeleton } from "#components/ui/skeleton.tsx";
import { CHANGE_COLUMNS, PARTS_SHOWN } from "./change-panel.tsx";

/** For a ChangePanel that loads: its skeleton is as high as the panel, so that what follows does not move. */
export function ChangeBoundary({ children }: { children: ReactNode }) {
	const skeleton = (
		<Panel title="What changed">
			<PanelSplit columns={CHANGE_COLUMNS} className="border-t">
				<TextSkeleton lines={8} label="Loading causes" className="content-start gap-3.5 py-4" />
				<TableSkeleton rows={PARTS_SHOWN + 1} columns={4} label="Loading lines of work" />
			</PanelSplit>
		</Panel>
	);
	return (
		<QueryBoundary what="the causes of the change" framed skeleton={skeleton}>
			{children}
		</QueryBoundary>
	);
}
