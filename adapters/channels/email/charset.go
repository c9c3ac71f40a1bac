package email

import (
	"fmt"
	"io"
	"strings"

	"github.com/emersion/go-message"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// ascii is what has no other name, with the letters that programs of old set where ASCII has none.
var ascii = charmap.Windows1252

// sets are the character sets that mails come in, by the names that people's programs give them.
var sets = map[string]encoding.Encoding{
	"iso-8859-1": charmap.Windows1252, "latin1": charmap.Windows1252, "us-ascii": ascii, "ascii": ascii,
	"windows-1252": charmap.Windows1252, "cp1252": charmap.Windows1252, "iso-8859-2": charmap.ISO8859_2, "iso-8859-3": charmap.ISO8859_3,
	"iso-8859-4": charmap.ISO8859_4, "iso-8859-5": charmap.ISO8859_5, "iso-8859-6": charmap.ISO8859_6, "iso-8859-7": charmap.ISO8859_7,
	"iso-8859-8": charmap.ISO8859_8, "iso-8859-8-i": charmap.ISO8859_8, "iso-8859-9": charmap.ISO8859_9, "iso-8859-10": charmap.ISO8859_10,
	"iso-8859-13": charmap.ISO8859_13, "iso-8859-14": charmap.ISO8859_14, "iso-8859-15": charmap.ISO8859_15,
	"iso-8859-16": charmap.ISO8859_16, "windows-874": charmap.Windows874, "tis-620": charmap.Windows874,
	"windows-1250": charmap.Windows1250, "windows-1251": charmap.Windows1251, "windows-1253": charmap.Windows1253,
	"windows-1254": charmap.Windows1254, "windows-1255": charmap.Windows1255, "windows-1256": charmap.Windows1256,
	"windows-1257": charmap.Windows1257, "windows-1258": charmap.Windows1258, "koi8-r": charmap.KOI8R, "koi8-u": charmap.KOI8U,
	"macintosh": charmap.Macintosh, "utf-16": unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
	"utf-16be": unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "utf-16le": unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
	"iso-2022-jp": japanese.ISO2022JP, "shift_jis": japanese.ShiftJIS, "euc-jp": japanese.EUCJP, "euc-kr": korean.EUCKR,
	"ks_c_5601-1987": korean.EUCKR, "gb2312": simplifiedchinese.GBK, "gbk": simplifiedchinese.GBK, "gb18030": simplifiedchinese.GB18030,
	"big5": traditionalchinese.Big5,
}

// What is in none of them, and has no name by which browsers know one, is read as it stands, and what is no text in it is shown as such.
func init() {
	message.CharsetReader = func(name string, from io.Reader) (io.Reader, error) {
		name = strings.ToLower(strings.TrimSpace(name))
		set, known := sets[name]
		if other, err := htmlindex.Get(name); !known && err == nil {
			set, known = other, true
		}
		if !known {
			return nil, fmt.Errorf("there is no character set %q", name)
		}
		return set.NewDecoder().Reader(from), nil
	}
}
