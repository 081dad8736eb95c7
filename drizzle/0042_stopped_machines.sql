-- expands: earlier programs run on this schema
ALTER TABLE "instance" ADD COLUMN "keep_stopped" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "instance" ADD COLUMN "stop_called_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "instance" ADD COLUMN "stopped_from" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "instance" ADD COLUMN "start_called_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "instance" ADD CONSTRAINT "instance_stopped_in_order" CHECK (("instance"."stopped_from" is null or "instance"."stop_called_at" is not null)
			and ("instance"."start_called_at" is null or ("instance"."stopped_from" is not null and "instance"."attempt_id" is not null)));--> statement-breakpoint
ALTER TABLE "instance" ADD CONSTRAINT "instance_stopped_only_if_kept" CHECK ("instance"."stop_called_at" is null or ("instance"."keep_stopped" and "instance"."capacity_type" = 'on_demand'));