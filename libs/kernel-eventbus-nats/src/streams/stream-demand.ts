import { DiscardPolicy, RetentionPolicy, StorageType, type StreamConfig } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';

/** The required setup of a stream; other settings keep the broker's defaults. */
export interface StreamDemand {
  name: string;
  subjects: string[];
  retention: 'limits' | 'workqueue';
  storage: 'file' | 'memory';
  replicas: number;
  maxAgeMs: number;
  /** -1: no limit. */
  maxMessages: number;
  /** -1: no limit. */
  maxBytes: number;
  duplicateWindowMs: number;
  /** Behaviour of a full stream: refuse new messages, or drop old ones. */
  discard: 'new' | 'old';
  allowsDirectReads: boolean;
}

type Demanded = Pick<
  StreamConfig,
  | 'name'
  | 'subjects'
  | 'retention'
  | 'storage'
  | 'num_replicas'
  | 'max_age'
  | 'max_msgs'
  | 'max_bytes'
  | 'duplicate_window'
  | 'discard'
  | 'allow_direct'
>;

/** Maps to the broker's field names. */
export function toStreamConfig(demand: StreamDemand): Demanded {
  return {
    name: demand.name,
    subjects: demand.subjects,
    retention: demand.retention === 'workqueue' ? RetentionPolicy.Workqueue : RetentionPolicy.Limits,
    storage: demand.storage === 'file' ? StorageType.File : StorageType.Memory,
    num_replicas: demand.replicas,
    max_age: nanos(demand.maxAgeMs),
    max_msgs: demand.maxMessages,
    max_bytes: demand.maxBytes,
    duplicate_window: nanos(demand.duplicateWindowMs),
    discard: demand.discard === 'new' ? DiscardPolicy.New : DiscardPolicy.Old,
    allow_direct: demand.allowsDirectReads,
  };
}
