import { Command as Item } from "cmdk";
import { Fragment } from "react";
import { Icon } from "#components/ui/icon.tsx";
import { Kbd } from "#components/ui/kbd.tsx";
import type { Command } from "./command.ts";

type CommandRowProps = { command: Command; onSelect: () => void; onPoint: (id: string) => void };

export function CommandRow({ command, onSelect, onPoint }: CommandRowProps) {
	const { id, icon, label, detail, keys = [] } = command;
	return (
		<Item.Item
			value={id}
			onSelect={onSelect}
			onPointerMove={() => onPoint(id)}
			className="flex h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5 font-medium aria-selected:bg-sunken max-md:h-11"
		>
			<Icon name={icon} className="flex-none text-ink-3" />
			<span className="min-w-0 truncate">{label}</span>
			{(detail || keys.length > 0) && (
				<span className="ml-auto flex max-w-1/2 flex-none items-center gap-1 truncate pl-3 text-xs font-book text-ink-3">
					{detail}
					{keys.map((key) => (
						<Fragment key={key}>
							<Kbd>{key}</Kbd>
						</Fragment>
					))}
				</span>
			)}
		</Item.Item>
	);
}
