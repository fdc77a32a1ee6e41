import type { Agent } from '../../shared/api/agent.ts';
import type { Chatbot } from '../../shared/api/chatbot.ts';
import type { DataSource, SourceTag } from '../../shared/api/data-source.ts';
import type { Session } from '../../shared/api/session.ts';
import type { Gap } from '../conversation/gaps.ts';
import type { DescriptionKey } from '../texts/texts.ts';
import type { Day } from './day.ts';
import type { IncomingFile, OpenFile } from './files.ts';

/** What an option can refer to, by name or uuid. */
export interface Referenced {
  source: DataSource;
  tag: SourceTag;
  agent: Agent;
  chatbot: Chatbot;
  session: Session;
  gap: Gap;
}

export type ReferenceKind = keyof Referenced;

interface OptionBase {
  description: DescriptionKey;
  required?: true;
}

/**
 * An option of a command, declared once: registration, manifest, forms, parsers and help derive
 * from it.
 */
export type Option =
  | TextOption
  | NumberOption
  | BooleanOption
  | ChoiceOption
  | ColorOption
  | DateOption
  | ReferenceOption
  | PlatformOption
  | GroupOption
  | FileOption;

/** `holds`: one web address, or several, separated by commas or spaces. */
export interface TextOption extends OptionBase {
  type: 'text';
  maxLength?: number;
  multiline?: true;
  holds?: 'url' | 'urls';
}

/** `min` and `max` are inclusive. */
export interface NumberOption extends OptionBase {
  type: 'number';
  min: number;
  max: number;
  whole?: true;
}

interface BooleanOption extends OptionBase {
  type: 'boolean';
}

interface ChoiceOption extends OptionBase {
  type: 'choice';
  choices: readonly string[];
}

/** A colour: `#` with six or three hex digits, or the name of a common colour. */
interface ColorOption extends OptionBase {
  type: 'color';
}

/** A day, or a point in time. */
interface DateOption extends OptionBase {
  type: 'date';
}

/** `many` allows several, separated by commas. */
export interface ReferenceOption extends OptionBase {
  type: 'reference';
  to: ReferenceKind;
  many?: true;
}

/** A channel or a person; the value is the platform's id. */
interface PlatformOption extends OptionBase {
  type: 'channel' | 'person';
}

/** A group of people, by name or id; the value is the platform's id. */
export interface GroupOption extends OptionBase {
  type: 'group';
}

/** `many` allows up to `maxFiles`. */
export interface FileOption extends OptionBase {
  type: 'file';
  many?: true;
}

export type Options = Record<string, Option>;

/** A value as the platform sends it: typed or chosen text, or files. */
export type RawValue = string | IncomingFile | readonly IncomingFile[];

/** Raw values by the names of their options. */
export type RawValues = Record<string, RawValue>;

type ValueOf<Declared extends Option> = Declared extends { type: 'file' }
  ? OneOrMany<Declared, IncomingFile>
  : Declared extends { type: 'reference'; to: infer Kind extends ReferenceKind }
    ? OneOrMany<Declared, Referenced[Kind]>
    : Declared extends { type: 'choice'; choices: readonly (infer Choice)[] }
      ? Choice
      : Declared extends { type: 'number' }
        ? number
        : Declared extends { type: 'boolean' }
          ? boolean
          : Declared extends { type: 'date' }
            ? Day
            : string;

type OneOrMany<Declared, Value> = Declared extends { many: true } ? Value[] : Value;

/** The values of a command's options, parsed and checked. */
export type Values<Declared extends Options> = {
  [Name in keyof Declared]: Declared[Name] extends { required: true }
    ? ValueOf<Declared[Name]>
    : ValueOf<Declared[Name]> | undefined;
};

/** Values that were stored as JSON, with their files as they were. */
export function reviveValues(values: RawValues, openFile: OpenFile): RawValues {
  const open = ({ origin }: Pick<IncomingFile, 'origin'>) => openFile(origin);
  const revive = (value: RawValue): RawValue => {
    if (typeof value === 'string') return value;
    return 'origin' in value ? open(value) : value.map(open);
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, revive(value)]));
}
